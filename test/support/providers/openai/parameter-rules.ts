/** Rules by which OpenAI rejects parameters, most of them of models that reason. */
import type { Rule } from './chat-request.ts';

const reasons = /^(o\d|gpt-[5-9](?!-chat))/;
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

export const parameterRules: readonly Rule[] = [
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
