/** Converts what chat has in another form beside the text of a message: log probabilities, and citations of pages. */
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';

/** https://platform.openai.com/docs/api-reference/chat/object */
export function readLogprobs(list: unknown): JsonObject[] {
  return filterObjects(list).map((entry) => ({
    ...withBytes(entry),
    top_logprobs: filterObjects(entry.top_logprobs).map(withBytes),
  }));
}

/** Chat requires the field. */
function withBytes({ token, logprob, bytes = null }: JsonObject): JsonObject {
  return { token, logprob, bytes };
}

/** Files are cited by ids that mean nothing outside of the provider. */
export function urlCitations({ annotations }: JsonObject): JsonObject[] {
  return filterObjects(annotations).flatMap(({ type, ...citation }) =>
    type === 'url_citation' ? [{ type, url_citation: citation }] : [],
  );
}
