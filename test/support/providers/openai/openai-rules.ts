/** Rules by which OpenAI rejects requests. */
import { type Rule, toolResultsFollowCalls } from './chat-request.ts';

/** https://platform.openai.com/docs/api-reference/chat/create, as in the `openai` package 7.55.0. */
const parameters = new Set([
  'model',
  'messages',
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'modalities',
  'moderation',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
]);
const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

const reasons = /^(o\d|gpt-[5-9](?!-chat))/;
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

/** Most are of models that reason. */
const parameterRules: readonly Rule[] = [
  ({ body: { user } }) =>
    typeof user === 'string' &&
    user.length > 64 && {
      message: `Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length ${user.length} instead.`,
      param: 'user',
      code: 'string_above_max_length',
    },
  ({ body: { reasoning_effort: effort }, model }) =>
    effort != null &&
    !reasons.test(model) && {
      message: 'Unrecognized request argument supplied: reasoning_effort',
      param: null,
      code: null,
    },
  ({ body: { reasoning_effort: effort } }) =>
    effort != null &&
    !efforts.includes(String(effort)) && {
      message: `Invalid value: '${effort}'. Supported values are: ${efforts.map((it) => `'${it}'`).join(', ')}.`,
      param: 'reasoning_effort',
      code: 'invalid_value',
    },
  // https://github.com/pipecat-ai/pipecat/issues/4043, https://github.com/BerriAI/litellm/pull/34569
  ({ body: { reasoning_effort: effort }, model, tools = [] }) => {
    const isRefused = /^gpt-5\.[45]/.test(model) ? effort != null : /^gpt-5\.[6-9]/.test(model);
    const advice = /^gpt-5\.[45]/.test(model)
      ? 'Please use /v1/responses instead.'
      : "To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
    return (
      isRefused &&
      effort !== 'none' &&
      tools.length > 0 && {
        message: `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. ${advice}`,
        param: 'reasoning_effort',
        code: null,
      }
    );
  },
  // Later models take it without reasoning.
  ({ body: { temperature }, model }) =>
    temperature != null &&
    temperature !== 1 &&
    /^(o\d|gpt-5(?![.]|-chat))/.test(model) && {
      message: `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
      param: 'temperature',
      code: 'unsupported_value',
    },
];

export const openaiRules: readonly Rule[] = [
  ...parameterRules,
  ({ body }) => {
    const unknownField = Object.keys(body).find((name) => !parameters.has(name));
    return unknownField !== undefined && `Unknown parameter: '${unknownField}'.`;
  },
  ({ body, stream }) =>
    body.stream_options != null &&
    stream !== true &&
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  // https://platform.openai.com/docs/guides/reasoning
  ({ body, model }) =>
    body.max_tokens != null &&
    /^(o\d|gpt-[5-9])/.test(model) &&
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ({ messages }) => {
    const invalid = messages.find(({ role }) => !roles.includes(role));
    return invalid && `Invalid value: '${invalid.role}'. Supported values are: ${roles.join(', ')}.`;
  },
  toolResultsFollowCalls,
  ({ messages }) =>
    messages.some(({ tool_calls: calls }) => calls?.some(({ id }) => id.length > 40)) &&
    'Invalid tool call id: string too long. Expected a string with maximum length 40.',
  ({ response_format: format, messages }) =>
    format?.type === 'json_object' &&
    !/json/i.test(JSON.stringify(messages)) &&
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
  ({ response_format: format }) =>
    format?.type === 'json_schema' &&
    typeof format.json_schema?.name !== 'string' &&
    "Missing required parameter: 'response_format.json_schema.name'.",
];
