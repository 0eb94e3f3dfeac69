/**
 * Finds out that a provider has rejected a request because of a field without which it can be sent again. Recognizes the
 * field by its name, since the texts differ: https://github.com/vercel/ai/pull/1578
 */
import type { CallerRequest, FailedResponse, OptionalField, ProviderCall } from '../providers/provider.ts';

/** In the order in which they are tried. */
const refusals: readonly (readonly [OptionalField, RegExp])[] = [
  ['stream_options', /\b(stream_options|include_usage)\b/],
  // OpenAI, for organizations that it has not verified, and for models that do not reason:
  // https://github.com/BerriAI/litellm/issues/16032
  ['reasoning_summary', /\breasoning\.summary\b|\breasoning summaries\b/i],
  ['encrypted_reasoning', /\bencrypted content is not supported\b/i],
  // OpenAI, for functions beside the default effort of newer models: https://github.com/BerriAI/litellm/pull/34569
  ['reasoning', /\bset reasoning_effort to '?none\b/i],
  // In the words of OpenAI, xAI and Ollama, or by the caller's name of it.
  [
    'reasoning_effort',
    /\breasoning[._]?effort\b|\boutput_config\.effort\b|\bthink(ing)?\b|\breasoning value\b/i,
  ],
];

/** `response` has status 400 or 422. Returns `null` if it names none, or one that was left out already. */
export function refusedField(
  { error }: Pick<FailedResponse, 'error'>,
  { request: { stream }, omitted = [] }: Pick<ProviderCall<CallerRequest>, 'request' | 'omitted'>,
): OptionalField | null {
  const text = `${error.param} ${error.message}`;
  const found = refusals.find(
    ([field, pattern]) =>
      (stream || field !== 'stream_options') && !omitted.includes(field) && pattern.test(text),
  );
  return found?.[0] ?? null;
}
