/** What a relay needs to know of the other targets of a route. */
import { type GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import type { ReaderFacts } from '../completion/facts.ts';

export interface Fallback {
  /**
   * Whether another target takes over the request, after a failure before any content was sent to the caller. `status` is that of
   * the provider's response; `null` without a response or for one that failed later.
   */
  takesOver(error: GatewayError, status?: number | null): Promise<boolean>;
}

/** The size of a response from which it has content, whatever it is: images and recordings are larger. */
const maxEmptyBytes = 16 * 1024;

/** The finish reasons of a completion that was not cut off, filtered, or left for a tool. */
const ordinaryFinishReasons: readonly (string | null)[] = [null, 'stop', 'end_turn', 'completed'];

/** As far as a response has been read. */
export interface ReadContent {
  facts: Pick<ReaderFacts, 'finishReason' | 'textBytes'>;
  /** The size of the text in UTF-8, for a reader that does not count it. */
  textBytes: number;
  /** Of all events, or of the body. */
  size: number;
}

export function hasContent({ facts, textBytes, size }: ReadContent): boolean {
  return (facts.textBytes ?? textBytes) > 0 || size > maxEmptyBytes;
}

/** Whether a response that has ended says nothing; `null` if it does. */
export function emptyResponseError(read: ReadContent): GatewayError | null {
  if (hasContent(read) || !ordinaryFinishReasons.includes(read.facts.finishReason)) return null;
  return unusableResponseError('The provider returned an empty completion');
}
