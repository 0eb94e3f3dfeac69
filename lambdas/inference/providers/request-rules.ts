/** What providers of OpenAI's format take of a request, where that is not all of it; as plain data. */

export interface RequestRules {
  /** OpenAI's parameters under the provider's own names. */
  parameterNames: ReadonlyMap<string, string>;
  /**
   * OpenAI's parameters that it takes, the renamed ones among them; `null` where it overlooks the others, or its own
   * error says enough.
   */
  parameters: ReadonlySet<string> | null;
  /** OpenAI's roles under the provider's own names. */
  roleNames: ReadonlyMap<string, string>;
  /** `null` for a provider that overlooks what it does not know. */
  messages: MessageRules | null;
}

/** A provider that refuses a request for any field of a message that it does not know. */
export interface MessageRules {
  /** By the role, in the provider's words. */
  fields: ReadonlyMap<string, readonly string[]>;
  /** Fields under the provider's own names. */
  fieldNames: ReadonlyMap<string, string>;
  toolCallFields: readonly string[];
  /** Of letters and digits, just so many; `null` for any id. */
  toolCallIdLength: number | null;
  /** Whose parts a content has, and whose tools there are. */
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
const said = ['role', 'content', 'name'];
const toolResult = [...said, 'tool_call_id'];
const openAiContent = {
  toolCallFields: ['id', 'type', 'function'],
  toolCallIdLength: null,
  parts: 'openai',
} as const;

/** https://github.com/groq/groq-python; of refusals: https://github.com/spring-projects/spring-ai/issues/6968 */
const groq: RequestRules = {
  ...none,
  messages: {
    fields: new Map([
      ['system', said],
      ['developer', said],
      ['user', said],
      ['assistant', [...said, 'reasoning', 'tool_calls', 'function_call']],
      ['tool', toolResult],
      ['function', said],
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
      ['system', said],
      ['user', said],
      ['assistant', [...said, 'reasoning', 'tool_calls']],
      ['tool', toolResult],
    ]),
    fieldNames: new Map([['reasoning_content', 'reasoning']]),
    ...openAiContent,
  },
};

/** https://github.com/fw-ai-external/python-sdk; of refusals: https://github.com/earendil-works/pi/issues/4514 */
const fireworks: RequestRules = {
  ...none,
  messages: {
    fields: new Map([
      ['system', said],
      ['developer', said],
      ['user', said],
      ['assistant', [...said, 'reasoning_content', 'tool_calls']],
      ['tool', toolResult],
    ]),
    fieldNames: new Map([['reasoning', 'reasoning_content']]),
    ...openAiContent,
  },
};

/** https://docs.mistral.ai/api/#tag/chat; of ids: https://github.com/mistralai/mistral-common */
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
  /** All but `stream_options`. */
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
