/**
 * Bytes that come in pieces, gathered into one buffer. Many small pieces take no more room than twice their bytes, and
 * each byte is copied a few times at most, however many pieces there are.
 */

export interface GatheredBytes {
  readonly length: number;
  add(piece: Buffer): void;
  /** All that was gathered; what is added next begins anew. */
  take(): Buffer;
}

const nothing = Buffer.alloc(0);

export function gatherBytes(): GatheredBytes {
  let room: Buffer = nothing;
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(piece) {
      const needed = length + piece.length;
      if (length === 0) room = piece;
      else {
        if (needed > room.length) room = enlarged(room.subarray(0, length), 2 * needed);
        piece.copy(room, length);
      }
      length = needed;
    },
    take() {
      const gathered = room.subarray(0, length);
      room = nothing;
      length = 0;
      return gathered;
    },
  };
}

function enlarged(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafe(size);
  bytes.copy(larger);
  return larger;
}
