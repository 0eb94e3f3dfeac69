/** Decides whether a response says anything: until then, another target may take over. */
import { type GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import type { ReadContent } from '../exchange/fallback.ts';

/** The size of a response from which it has content, whatever it is: images and recordings are larger. */
const maxEmptyBytes = 16 * 1024;

/** The finish reasons of a completion that was not cut off, filtered, or left for a tool. */
const ordinaryFinishReasons: readonly (string | null)[] = [null, 'stop', 'end_turn', 'completed'];

export function hasContent({ facts, textBytes, size }: ReadContent): boolean {
  return (facts.textBytes ?? textBytes) > 0 || size > maxEmptyBytes;
}

/** For a response that has ended; `null` if it is not empty. */
export function emptyResponseError(read: ReadContent): GatewayError | null {
  if (hasContent(read) || !ordinaryFinishReasons.includes(read.facts.finishReason)) return null;
  return unusableResponseError('The provider returned an empty completion');
}
