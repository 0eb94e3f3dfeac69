/** Estimates the output of a request before it is sent. */
import { readOutputLimit } from '../providers/output-limit.ts';

/** The output of a request without a limit, for which most models write less than a page. */
const typicalOutputTokens = 1000;
const limitNames = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'];

/** The limit of one completion that the caller has set, or a typical output. `text` is the body of the request. */
export function likelyOutputTokens(text: string): number {
  return readOutputLimit(text, limitNames).maxOutputTokens ?? typicalOutputTokens;
}
