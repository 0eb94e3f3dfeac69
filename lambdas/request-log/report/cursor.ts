/** Where a page of log entries ended, as opaque text that the next request brings back. It is signed, so that none is made up. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidRequest } from '#lambdas/platform/errors.ts';

export interface LogPosition {
  /** Only entries older than this id; `undefined` to begin with the newest. */
  before: string | undefined;
  /** How many of those to skip: the rest of an `offset`. */
  toSkip: number;
}

/** What the signature of a cursor covers beside the position, and its key. */
export interface CursorSeal {
  /** The scope of the query: with other parameters, the position would mean something else. */
  scope: string;
  /** The organization's cursor key. */
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

function sign(position: Buffer, { scope, key }: CursorSeal): Buffer {
  const digest = createHmac('sha256', Buffer.from(key, 'base64url')).update(position).update(scope).digest();
  return digest.subarray(0, signatureBytes);
}
