/** Where a page of log entries ended, as opaque text that the next request brings back, signed so that none is made up. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidRequest } from '#lambdas/platform/errors.ts';

export interface LogPosition {
  /** Only entries older than this id; `undefined` to begin with the newest. */
  before: string | undefined;
  /** How many of those to leave out: what is left of an `offset`. */
  toSkip: number;
}

/** What a cursor is signed for, and with. */
export interface CursorSeal {
  /** The organization and everything that selects entries. */
  scope: string;
  /** The organization's, as `newCursorKey` made it; empty for one that was made before there were such keys. */
  key: string;
}

const idBytes = 16;
const skipBytes = 2;
const signatureBytes = 16;

export function writeCursor({ before, toSkip }: LogPosition & { before: string }, seal: CursorSeal): string {
  const position = Buffer.alloc(idBytes + skipBytes);
  position.write(before.replaceAll('-', ''), 'hex');
  position.writeUInt16BE(toSkip, idBytes);
  return Buffer.concat([position, sign(position, seal)]).toString('base64url');
}

/** Throws a `GatewayError` (400) for what `writeCursor` did not write with this seal. */
export function readCursor(cursor: string, seal: CursorSeal): LogPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(0, idBytes + skipBytes);
  const signature = bytes.subarray(position.length);
  const isOurs =
    bytes.toString('base64url') === cursor &&
    signature.length === signatureBytes &&
    timingSafeEqual(signature, sign(position, seal));
  if (!isOurs) {
    throw invalidRequest(
      'cursor',
      'cursor must be the next_cursor of a page with the same parameters (only limit may change); without it, the list begins anew',
    );
  }
  const id = position.toString('hex', 0, idBytes);
  return {
    before: id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    toSkip: position.readUInt16BE(idBytes),
  };
}

/** Of a position that has its length; what is shorter has no signature behind it. */
function sign(position: Buffer, { scope, key }: CursorSeal): Buffer {
  const digest = createHmac('sha256', Buffer.from(key, 'base64url')).update(position).update(scope).digest();
  return digest.subarray(0, signatureBytes);
}
