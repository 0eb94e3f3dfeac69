/**
 * For providers that have no JSON without a schema: the model is told, as OpenAI's callers have to tell it too.
 * https://platform.openai.com/docs/guides/structured-outputs#json-mode
 */
export const jsonOnly =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.';
