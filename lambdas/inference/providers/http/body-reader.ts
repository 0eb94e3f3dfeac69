/** Reads a response that is a single JSON body, when it is complete. */
import { isSent, type ReaderFacts, startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { ResponseReader } from '../provider.ts';
import { createJsonBody } from './json-body.ts';
import { withoutByteOrderMark } from './response-form.ts';

const noBytes = Buffer.alloc(0);

/** `read` receives the whole body, and returns the bytes for the caller, or `null` for a body that is no JSON object. */
export function createBodyReader(
  read: (body: Buffer, facts: ReaderFacts) => Buffer | null,
  facts = startReaderFacts(),
): ResponseReader {
  const body = createJsonBody();
  let isRead = false;
  const finish = (): Buffer => {
    isRead = true;
    try {
      const bytes = read(withoutByteOrderMark(body.take().value), facts);
      if (bytes === null || (facts.error !== null && !isSent(facts.error))) return noBytes;
      facts.started = true;
      facts.finished = true;
      facts.ended = true;
      return bytes;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      facts.error = error;
      return noBytes;
    }
  };
  return {
    facts,
    // The end of the body is found in it, since some servers keep the connection open.
    push: (chunk) => (!isRead && body.push(chunk) ? finish() : noBytes),
    end: () => (isRead ? noBytes : finish()),
  };
}
