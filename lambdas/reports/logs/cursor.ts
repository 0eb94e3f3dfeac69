/** Page cursors: the position where a page ended, as opaque text that is signed against forgery. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidRequestError } from '#lambdas/platform/errors.ts';

export interface LogPosition {
  /** The page contains entries that follow this id in the order of the list; `undefined` to start at the first. */
  after: string | undefined;
  /** The rest of an `offset`. */
  toSkip: number;
}

interface CursorContext {
  /** `LogQuery.scope`: a cursor is valid only for the query parameters that it was created with. */
  scope: string;
  key: string;
}

const idBytes = 16;
const skipBytes = 2;
const signatureBytes = 16;

export function writeCursor(
  { after, toSkip }: LogPosition & { after: string },
  context: CursorContext,
): string {
  const position = Buffer.alloc(idBytes + skipBytes);
  position.write(after.replaceAll('-', ''), 'hex');
  position.writeUInt16BE(toSkip, idBytes);
  return Buffer.concat([position, sign(position, context)]).toString('base64url');
}

/** Throws a `GatewayError` (400) for a cursor that `writeCursor` did not write with the same context. */
export function readCursor(cursor: string, context: CursorContext): LogPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(0, idBytes + skipBytes);
  const signature = bytes.subarray(position.length);
  const isValid =
    bytes.toString('base64url') === cursor &&
    signature.length === signatureBytes &&
    timingSafeEqual(signature, sign(position, context));
  if (!isValid) {
    throw invalidRequestError(
      'cursor',
      'cursor must be the next_cursor of a page with the same parameters (only limit may change); omit it to start at the newest entry',
    );
  }
  const id = position.toString('hex', 0, idBytes);
  return {
    after: id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    toSkip: position.readUInt16BE(idBytes),
  };
}

function sign(position: Buffer, { scope, key }: CursorContext): Buffer {
  const digest = createHmac('sha256', Buffer.from(key, 'base64url')).update(position).update(scope).digest();
  return digest.subarray(0, signatureBytes);
}
