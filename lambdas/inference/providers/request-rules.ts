/** The parts of OpenAI's format that a provider does not accept, or under other names, as plain data. */

export interface RequestRules {
  /** OpenAI's parameters under the provider's own names. */
  parameterNames: ReadonlyMap<string, string>;
  /**
   * OpenAI's parameters that the provider accepts, including the renamed ones; `null` where it ignores the others or
   * reports them clearly itself.
   */
  parameters: ReadonlySet<string> | null;
  /** OpenAI's roles under the provider's own names. */
  roleNames: ReadonlyMap<string, string>;
  /** `null` for a provider that ignores unknown fields. */
  messages: MessageRules | null;
}

/** The messages of a provider that refuses a request with an unknown field in one. */
export interface MessageRules {
  /** The accepted fields by role, which is the provider's own name for it. */
  fields: ReadonlyMap<string, readonly string[]>;
  /** OpenAI's fields under the provider's own names. */
  fieldNames: ReadonlyMap<string, string>;
  toolCallFields: readonly string[];
  /** Ids must consist of exactly this many letters and digits; `null` for any id. */
  toolCallIdLength: number | null;
  /** The format of content parts and tools. */
  parts: 'openai' | 'mistral';
}

const none: RequestRules = {
  parameterNames: new Map(),
  parameters: null,
  roleNames: new Map(),
  messages: null,
};

const olderLimit = new Map([['max_completion_tokens', 'max_tokens']]);
const olderRole = new Map([['developer', 'system']]);
const basicFields = ['role', 'content', 'name'];
const toolResult = [...basicFields, 'tool_call_id'];
const openAiContent = {
  toolCallFields: ['id', 'type', 'function'],
  toolCallIdLength: null,
  parts: 'openai',
} as const;

/** https://github.com/groq/groq-python; refusals: https://github.com/spring-projects/spring-ai/issues/6968 */
const groq: RequestRules = {
  ...none,
  messages: {
    fields: new Map([
      ['system', basicFields],
      ['developer', basicFields],
      ['user', basicFields],
      ['assistant', [...basicFields, 'reasoning', 'tool_calls', 'function_call']],
      ['tool', toolResult],
      ['function', basicFields],
    ]),
    fieldNames: new Map([['reasoning_content', 'reasoning']]),
    ...openAiContent,
  },
};

/** https://inference-docs.cerebras.ai/api-reference/chat-completions; https://github.com/QwenLM/qwen-code/issues/11045 */
const cerebras: RequestRules = {
  ...none,
  roleNames: olderRole,
  messages: {
    fields: new Map([
      ['system', basicFields],
      ['user', basicFields],
      ['assistant', [...basicFields, 'reasoning', 'tool_calls']],
      ['tool', toolResult],
    ]),
    fieldNames: new Map([['reasoning_content', 'reasoning']]),
    ...openAiContent,
  },
};

/** https://github.com/fw-ai-external/python-sdk; refusals: https://github.com/earendil-works/pi/issues/4514 */
const fireworks: RequestRules = {
  ...none,
  messages: {
    fields: new Map([
      ['system', basicFields],
      ['developer', basicFields],
      ['user', basicFields],
      ['assistant', [...basicFields, 'reasoning_content', 'tool_calls']],
      ['tool', toolResult],
    ]),
    fieldNames: new Map([['reasoning', 'reasoning_content']]),
    ...openAiContent,
  },
};

/** https://docs.mistral.ai/api/#tag/chat; ids: https://github.com/mistralai/mistral-common */
const mistral: RequestRules = {
  parameterNames: new Map([...olderLimit, ['seed', 'random_seed']]),
  parameters: new Set([
    ...['frequency_penalty', 'max_completion_tokens', 'max_tokens', 'metadata', 'n', 'parallel_tool_calls'],
    ...['prediction', 'presence_penalty', 'prompt_cache_key', 'reasoning_effort', 'response_format', 'seed'],
    ...['stop', 'temperature', 'tool_choice', 'tools', 'top_p'],
  ]),
  roleNames: olderRole,
  messages: {
    fields: new Map([
      ['system', ['role', 'content']],
      ['user', ['role', 'content']],
      ['assistant', ['role', 'content', 'tool_calls', 'prefix']],
      ['tool', toolResult],
    ]),
    fieldNames: new Map(),
    toolCallFields: ['id', 'type', 'function', 'index'],
    toolCallIdLength: 9,
    parts: 'mistral',
  },
};

export const requestRules = {
  cerebras,
  /** Accepts all but `stream_options`. */
  cohere: none,
  /** https://github.com/earendil-works/pi/issues/1048 */
  deepseek: { ...none, parameterNames: olderLimit, roleNames: olderRole },
  fireworks,
  groq,
  mistral,
  /** https://github.com/ollama/ollama/issues/7125, https://github.com/earendil-works/pi/pull/140 */
  ollama: { ...none, parameterNames: olderLimit, roleNames: olderRole },
  together: { ...none, parameterNames: olderLimit },
} as const satisfies Record<string, RequestRules>;

export type RequestRulesName = keyof typeof requestRules;
