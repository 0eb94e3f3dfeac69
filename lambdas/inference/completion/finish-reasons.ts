/**
 * One table of the words by which providers and self-hosted servers say why an answer ended, and their meaning in OpenAI's
 * format.
 */
/** https://platform.openai.com/docs/api-reference/chat/object; `function_call` belongs to the older format of tools. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

export type Finish =
  | { kind: 'known'; word: string; reason: FinishReason }
  /** The answer is an error, whatever it contains. */
  | { kind: 'failed'; word: string; status: number }
  /** The answer was cut off: an error if it is empty. */
  | { kind: 'aborted'; word: string }
  /** `reason` is what the word suggests. */
  | { kind: 'unknown'; word: string; reason: FinishReason };

/** The conversation and the output fill the model's context. */
const contextWords: readonly string[] = [
  ...['model_context_window_exceeded', 'context_window_exceeded', 'context_length_exceeded'],
  // Mistral's `model_length`; Cohere's ERROR_LIMIT: https://docs.cohere.com/v1/reference/chat
  ...['context_length', 'max_context_length', 'model_length', 'error_limit'],
];

const wordsByReason: Readonly<Record<FinishReason, readonly string[]>> = {
  stop: [
    ...['stop', 'stopped', 'stop_sequence', 'stop_token', 'stop_word', 'end', 'end_turn', 'pause_turn'],
    ...['eos', 'eos_token', 'complete', 'completed', 'done', 'finish', 'finished', 'normal', 'success'],
  ],
  length: [
    ...['length', 'max_length', 'incomplete'],
    ...['max_tokens', 'max_output_tokens', 'max_new_tokens', 'max_completion_tokens', 'token_limit'],
    ...contextWords,
  ],
  tool_calls: ['tool_calls', 'tool_call', 'tool_use', 'function_calls'],
  function_call: ['function_call'],
  content_filter: [
    ...[
      'content_filter',
      'content_filtered',
      'filtered',
      'refusal',
      'sensitive',
      'moderation',
      'error_toxic',
    ],
    ...['guardrail_intervened', 'blocked'],
    // https://ai.google.dev/api/generate-content#FinishReason
    ...['safety', 'recitation', 'language', 'other', 'blocklist', 'prohibited_content', 'spii', 'escalation'],
    ...['image_safety', 'image_prohibited_content', 'image_recitation'],
  ],
};

/** With the HTTP status of the error. */
const failedWords: Readonly<Record<string, number>> = {
  // OpenRouter, Mistral
  error: 500,
  server_error: 500,
  internal_error: 500,
  failed: 500,
  network_error: 502,
  // https://api-docs.deepseek.com/api/create-chat-completion
  insufficient_system_resource: 503,
  overloaded: 503,
  // https://ai.google.dev/api/generate-content#FinishReason
  malformed_function_call: 500,
  unexpected_tool_call: 500,
  too_many_tool_calls: 500,
  missing_thought_signature: 500,
  malformed_response: 500,
  no_image: 500,
  image_other: 500,
  pup_limited_disabled: 500,
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_MessageStopEvent.html
  malformed_model_output: 500,
  malformed_tool_use: 500,
};

const abortedWords: readonly string[] = [
  ...['abort', 'aborted', 'cancel', 'cancelled', 'canceled', 'user_cancel', 'interrupted'],
  ...['timeout', 'timed_out', 'time_limit', 'deadline_exceeded'],
];

const reasonsByWord: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries(wordsByReason).flatMap(([reason, words]) =>
    words.map((word) => [word, reason as FinishReason] as const),
  ),
);

/** Suggestions for unknown words; the first match applies. */
const suggestions: readonly (readonly [RegExp, FinishReason | 'failed'])[] = [
  [
    /filter|safety|block|prohibit|policy|moderation|refuse|refusal|guard|violation|toxic|harm/,
    'content_filter',
  ],
  [/error|fail|exception|malformed/, 'failed'],
  [/length|limit|max|token|truncate|context|budget/, 'length'],
];

export function isContextFull(word: string): boolean {
  return contextWords.includes(normalized(word));
}

/** In any letter case, and with hyphens for underscores. */
function normalized(word: string): string {
  return word.toLowerCase().replaceAll('-', '_');
}

export function readFinish(word: string): Finish {
  const name = reasonsByWord.has(word) ? word : normalized(word);
  const reason = reasonsByWord.get(name);
  if (reason !== undefined) return { kind: 'known', word, reason };
  if (Object.hasOwn(failedWords, name)) return { kind: 'failed', word, status: failedWords[name] ?? 500 };
  if (abortedWords.includes(name)) return { kind: 'aborted', word };
  const suggested = suggestions.find(([pattern]) => pattern.test(name))?.[1] ?? 'stop';
  return suggested === 'failed'
    ? { kind: 'failed', word, status: 500 }
    : { kind: 'unknown', word, reason: suggested };
}

/** The content of a choice, as far as the finish reason depends on it. */
interface ChoiceContent {
  toolCalls: number;
  /** True if anything was generated: text, reasoning, a refusal, a tool call or media. */
  hasOutput: boolean;
}

/**
 * Returns `null` if the answer is an error. OpenAI ends a call of the function that `tool_choice` names, which
 * `choosesFunction` states, with `stop`: https://platform.openai.com/docs/guides/function-calling#tool-choice
 */
export function resolveFinish(
  finish: Finish,
  { toolCalls, hasOutput }: ChoiceContent,
  { choosesFunction }: { choosesFunction: boolean },
): FinishReason | null {
  switch (finish.kind) {
    case 'failed':
      return null;
    case 'aborted':
      return hasOutput ? 'length' : null;
    case 'known':
    case 'unknown': {
      const { reason, word } = finish;
      if (reason !== 'stop' && reason !== 'tool_calls') return reason;
      if (toolCalls === 0) return 'stop';
      return word === 'stop' && choosesFunction ? 'stop' : 'tool_calls';
    }
    default:
      return finish satisfies never;
  }
}

/** The log entry keeps a word that is not known. */
export function loggedFinish(finish: Finish, reason: FinishReason): string {
  return finish.kind === 'unknown' ? finish.word : reason;
}

/**
 * Returns the arguments of a tool call without any: an empty object, which callers can parse. A truncated call gets an
 * empty string, since an empty object would make it look complete.
 */
export function defaultArguments(reason: FinishReason): '{}' | '' {
  return reason === 'length' || reason === 'content_filter' ? '' : '{}';
}
