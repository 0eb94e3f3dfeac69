/** What a provider of OpenAI's format takes of a request, where that is not all of it; as plain data. */

export interface RequestRules {
  /** OpenAI's names of parameters, and the provider's own for those that it has under another. */
  renamed: Readonly<Record<string, string>>;
  /** `null` for a provider that overlooks what it does not know. */
  strict: StrictRules | null;
}

/** A provider that refuses a request for any field that it does not know. */
export interface StrictRules {
  /** OpenAI's parameters that it takes, the renamed ones among them. */
  parameters: ReadonlySet<string>;
  /** The fields of a message, by its role. */
  messageFields: Readonly<Record<string, readonly string[]>>;
  toolCallFields: readonly string[];
  /** Of letters and digits, just so many. */
  toolCallIdLength: number;
}

export const noRules: RequestRules = { renamed: {}, strict: null };

/** For those that have `max_tokens` alone and overlook the newer name. */
export const olderTokenLimit: RequestRules = {
  renamed: { max_completion_tokens: 'max_tokens' },
  strict: null,
};

/** https://docs.mistral.ai/api/#tag/chat; of ids: https://github.com/mistralai/mistral-common */
export const mistralRules: RequestRules = {
  renamed: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
  strict: {
    parameters: new Set([
      ...['frequency_penalty', 'max_completion_tokens', 'max_tokens', 'metadata', 'n', 'parallel_tool_calls'],
      ...[
        'prediction',
        'presence_penalty',
        'prompt_cache_key',
        'reasoning_effort',
        'response_format',
        'seed',
      ],
      ...['stop', 'temperature', 'tool_choice', 'tools', 'top_p'],
    ]),
    messageFields: {
      system: ['role', 'content'],
      user: ['role', 'content'],
      assistant: ['role', 'content', 'tool_calls', 'prefix'],
      tool: ['role', 'content', 'tool_call_id', 'name'],
    },
    toolCallFields: ['id', 'type', 'function', 'index'],
    toolCallIdLength: 9,
  },
};
