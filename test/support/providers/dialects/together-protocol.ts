/**
 * How Together answers: the role and the token's number in every delta, `eos` for an end, and usage beside it.
 * https://docs.together.ai/reference/chat-completions-1
 */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import type { ChatRequest } from '../openai/openai-request.ts';
import { bareUsage, chunksWithUsageAtTheEnd, openaiDeltas, openaiMessage } from '../openai/openai-shapes.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import type { SmallAnswer } from '../small-answer.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const usage = { ...bareUsage, cached_tokens: 0 };

const common = ({ model }: ChatRequest, object: string) => ({
  id: 'oHvNvPe-4Yz4kd-9a1b2c3d4e5f6071',
  object,
  created: 1767225600,
  model,
});

const refusal = (status: number, message: string, code: string | null) => ({
  status,
  body: {
    id: 'oHvNvPe-4Yz4kd-9a1b2c3d4e5f6071',
    error: { message, type: 'invalid_request_error', param: null, code },
  },
});

const finishReasonOf = ({ kind }: SmallAnswer) => (kind === 'tool' ? 'tool_calls' : 'eos');

const togetherDialect: Dialect = {
  path: '/v1',
  wrongKey: refusal(
    401,
    'Invalid API key provided. You can find your API key at https://api.together.xyz/settings/api-keys.',
    'invalid_api_key',
  ),
  unknownModel: (model) =>
    refusal(
      404,
      `Unable to access model ${model}. Please visit https://api.together.ai/models to view the list of supported models.`,
      'model_not_available',
    ),
  badRequest: ({ message }) => refusal(400, message, null),
  refuses: () => null,
  plain: (chat, answer) => {
    const {
      refusal: _,
      annotations: __,
      tool_calls = [],
      ...message
    } = openaiMessage(answer, 'call_8fgqcz2k');
    const choice = {
      finish_reason: finishReasonOf(answer),
      logprobs: null,
      index: 0,
      seed: 5409387967312942000,
    };
    return {
      ...common(chat, 'chat.completion'),
      prompt: [],
      choices: [{ ...choice, message: { ...message, tool_calls } }],
      usage,
    };
  },
  stream(chat, answer) {
    const deltas = openaiDeltas(answer, 'call_8fgqcz2k').map(
      ({ refusal: _, content = '', ...delta }, at) => ({
        token_id: 9906 + at,
        ...delta,
        role: 'assistant',
        content,
      }),
    );
    const chunk = (choices: object[], counted: object | null = null) => ({
      ...common(chat, 'chat.completion.chunk'),
      choices,
      usage: counted,
      warnings: null,
    });
    const choice = (delta: object, finish_reason: string | null) => ({
      index: 0,
      text: 'content' in delta ? delta.content : '',
      delta: finish_reason === null ? delta : { token_id: 128009, role: 'assistant', content: '' },
      logprobs: null,
      finish_reason,
      seed: null,
    });
    return chunksWithUsageAtTheEnd({ chunk, deltas, choice, finishReason: finishReasonOf(answer) }, usage);
  },
};

export function startTogetherUpstream(
  behaviour: ProviderBehaviour = {},
): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(togetherDialect), behaviour);
}
