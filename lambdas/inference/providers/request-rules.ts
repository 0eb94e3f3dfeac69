/**
 * The differences between OpenAI's request format and that of OpenAI-compatible providers, as plain data. The `…Names`
 * maps translate OpenAI's names to the provider's.
 */

export interface RequestRules {
  parameterNames: ReadonlyMap<string, string>;
  /**
   * OpenAI's parameters that the provider accepts, including the renamed ones. `null` when no parameter needs to be
   * removed, because the provider ignores unsupported parameters or rejects them with a clear error.
   */
  parameters: ReadonlySet<string> | null;
  roleNames: ReadonlyMap<string, string>;
  messages: MessageRules | null;
}

/** The message format of a provider that rejects unknown fields. */
export interface MessageRules {
  /** The accepted fields by the provider's name for the role. */
  fields: ReadonlyMap<string, readonly string[]>;
  toolCallFields: readonly string[];
  /** Ids must consist of exactly this many letters and digits; `null` when any id is accepted. */
  toolCallIdLength: number | null;
  /** The format of content parts and tools. */
  parts: 'openai' | 'mistral';
}

export const noRules: RequestRules = {
  parameterNames: new Map(),
  parameters: null,
  roleNames: new Map(),
  messages: null,
};

const legacyMaxTokens = new Map([['max_completion_tokens', 'max_tokens']]);
const legacySystemRole = new Map([['developer', 'system']]);
const basicFields = ['role', 'content', 'name'];
const toolResultFields = [...basicFields, 'tool_call_id'];
const openAiMessageFormat = {
  toolCallFields: ['id', 'type', 'function'],
  toolCallIdLength: null,
  parts: 'openai',
} as const;

/**
 * https://github.com/groq/groq-python
 * Rejection of unknown fields: https://github.com/spring-projects/spring-ai/issues/6968
 */
const groq: RequestRules = {
  ...noRules,
  messages: {
    fields: new Map([
      ['system', basicFields],
      ['developer', basicFields],
      ['user', basicFields],
      ['assistant', [...basicFields, 'reasoning', 'tool_calls', 'function_call']],
      ['tool', toolResultFields],
      ['function', basicFields],
    ]),
    ...openAiMessageFormat,
  },
};

/** https://inference-docs.cerebras.ai/api-reference/chat-completions; https://github.com/QwenLM/qwen-code/issues/11045 */
const cerebras: RequestRules = {
  ...noRules,
  roleNames: legacySystemRole,
  messages: {
    fields: new Map([
      ['system', basicFields],
      ['user', basicFields],
      ['assistant', [...basicFields, 'reasoning', 'tool_calls']],
      ['tool', toolResultFields],
    ]),
    ...openAiMessageFormat,
  },
};

/**
 * https://github.com/fw-ai-external/python-sdk
 * Rejection of unknown fields: https://github.com/earendil-works/pi/issues/4514
 */
const fireworks: RequestRules = {
  ...noRules,
  messages: {
    fields: new Map([
      ['system', basicFields],
      ['developer', basicFields],
      ['user', basicFields],
      ['assistant', [...basicFields, 'reasoning_content', 'tool_calls']],
      ['tool', toolResultFields],
    ]),
    ...openAiMessageFormat,
  },
};

/** https://docs.mistral.ai/api/#tag/chat; tool call ids: https://github.com/mistralai/mistral-common */
const mistral: RequestRules = {
  parameterNames: new Map([...legacyMaxTokens, ['seed', 'random_seed']]),
  parameters: new Set([
    ...['frequency_penalty', 'max_completion_tokens', 'max_tokens', 'metadata', 'n', 'parallel_tool_calls'],
    ...['prediction', 'presence_penalty', 'prompt_cache_key', 'reasoning_effort', 'response_format', 'seed'],
    ...['stop', 'temperature', 'tool_choice', 'tools', 'top_p'],
  ]),
  roleNames: legacySystemRole,
  messages: {
    fields: new Map([
      ['system', ['role', 'content']],
      ['user', ['role', 'content']],
      ['assistant', ['role', 'content', 'tool_calls', 'prefix']],
      ['tool', toolResultFields],
    ]),
    toolCallFields: ['id', 'type', 'function', 'index'],
    toolCallIdLength: 9,
    parts: 'mistral',
  },
};

export const requestRules = {
  cerebras,
  /** Accepts everything except `stream_options`. */
  cohere: noRules,
  /** https://github.com/earendil-works/pi/issues/1048 */
  deepseek: { ...noRules, parameterNames: legacyMaxTokens, roleNames: legacySystemRole },
  fireworks,
  groq,
  mistral,
  /** https://github.com/ollama/ollama/issues/7125, https://github.com/earendil-works/pi/pull/140 */
  ollama: { ...noRules, parameterNames: legacyMaxTokens, roleNames: legacySystemRole },
  together: { ...noRules, parameterNames: legacyMaxTokens },
} as const satisfies Record<string, RequestRules>;

export type RequestRulesName = keyof typeof requestRules;
