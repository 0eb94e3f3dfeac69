/** Why an answer ended, in the words of OpenAI: https://platform.openai.com/docs/api-reference/chat/object */

const openAiReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'];

/** What other providers say; a reason that nobody has heard of counts as `stop`. */
const translations: ReadonlyMap<string, string> = new Map([
  // Together: https://docs.together.ai/reference/chat-completions-1
  ['eos', 'stop'],
  // Mistral: https://docs.mistral.ai/api/#tag/chat
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['safety', 'content_filter'],
  ['sensitive', 'content_filter'],
  ['tool_use', 'tool_calls'],
]);

/** The answer did not end, it failed: OpenRouter and Mistral say `error`, DeepSeek that it had no room. */
const failures: ReadonlyMap<string, number> = new Map([
  ['error', 500],
  ['network_error', 502],
  ['insufficient_system_resource', 503],
]);

/** `null` when the reason is one of OpenAI's, else the one that is meant. */
export function translatedReason(reason: string): string | null {
  if (openAiReasons.includes(reason)) return null;
  return translations.get(reason.toLowerCase()) ?? 'stop';
}

/** As it goes into the log: a reason that nobody has heard of stays as it was said. */
export function loggedReason(reason: string): string {
  return translations.get(reason.toLowerCase()) ?? reason;
}

/** The HTTP status that stands for the failure; `null` when the answer just ended. */
export function statusOfFailure(reason: unknown): number | null {
  return typeof reason === 'string' ? (failures.get(reason) ?? null) : null;
}
