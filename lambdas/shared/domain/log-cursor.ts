/** Where a page of log entries ended, as opaque text that the next request brings back. */
import { createHash } from 'node:crypto';
import { invalidRequest } from './gateway-error.ts';

export interface LogPosition {
  /** Only entries older than this id; `undefined` to begin with the newest. */
  before: string | undefined;
  /** How many of those to leave out: what is left of an `offset`. */
  toSkip: number;
}

const idBytes = 16;
const skipBytes = 2;
const digestBytes = 8;

/** `scope` is what the cursor is good for: the organization and everything that selects entries. */
export function writeCursor({ before, toSkip }: LogPosition & { before: string }, scope: string): string {
  const position = Buffer.alloc(idBytes + skipBytes);
  position.write(before.replaceAll('-', ''), 'hex');
  position.writeUInt16BE(toSkip, idBytes);
  return Buffer.concat([position, digest(position, scope)]).toString('base64url');
}

/** Throws a `GatewayError` (400) for what `writeCursor` did not write for this scope. */
export function readCursor(cursor: string, scope: string): LogPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(0, idBytes + skipBytes);
  const isOurs =
    bytes.toString('base64url') === cursor && digest(position, scope).equals(bytes.subarray(position.length));
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

/** Not a secret, since a cursor leads nowhere but to the caller's own entries: it finds what was mixed up or cut. */
function digest(position: Buffer, scope: string): Buffer {
  return createHash('sha256').update(position).update(scope).digest().subarray(0, digestBytes);
}
