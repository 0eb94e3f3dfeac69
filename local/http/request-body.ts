/** Request bodies, up to the size that the platform takes. */
import type { IncomingMessage } from 'node:http';

/** `null` for a body that is larger. It is read to its end all the same: a sender that still writes sees no answer. */
export async function readRequestBody(
  request: IncomingMessage,
  maximumBytes: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= maximumBytes) chunks.push(chunk);
  }
  return size > maximumBytes ? null : Buffer.concat(chunks);
}
