/**
 * How OpenRouter answers: comments while it waits, the role in every delta, what a request cost in `usage`, and
 * errors with numbers for codes. https://openrouter.ai/docs/api/api-reference/chat
 */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import type { ChatRequest } from '../openai/openai-request.ts';
import { bareUsage, finishReasonOf, openaiDeltas, openaiMessage } from '../openai/openai-shapes.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const usage = {
  ...bareUsage,
  cost: 0.00000585,
  is_byok: false,
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0, video_tokens: 0 },
  cost_details: {
    upstream_inference_cost: null,
    upstream_inference_prompt_cost: 0.00000285,
    upstream_inference_completions_cost: 0.000003,
  },
  completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
};

const common = ({ model }: ChatRequest, object: string) => ({
  id: 'gen-1767225600-UD7bR0I1JNCsPvVzlXat',
  provider: 'OpenAI',
  model,
  object,
  created: 1767225600,
});

const refusal = (status: number, message: string) => ({
  status,
  body: { error: { message, code: status }, user_id: 'user_2abcDEF' },
});

const openrouterDialect: Dialect = {
  path: '/api/v1',
  headers: () => ({ 'x-generation-id': 'gen-1767225600-UD7bR0I1JNCsPvVzlXat' }),
  wrongKey: { status: 401, body: { error: { message: 'No auth credentials found', code: 401 } } },
  unknownModel: (model) => refusal(400, `${model} is not a valid model ID`),
  badRequest: ({ message }) => refusal(400, message),
  refuses: () => null,
  plain: (chat, answer) => {
    const { annotations: _, ...message } = openaiMessage(answer, 'call_NZa7xqfefoaMI2YYHowVXVlU');
    const finish_reason = finishReasonOf(answer);
    const choice = { finish_reason, index: 0, message: { ...message, reasoning: null } };
    return {
      ...common(chat, 'chat.completion'),
      choices: [{ logprobs: null, native_finish_reason: finish_reason, ...choice }],
      system_fingerprint: 'fp_eb37e061ec',
      usage,
    };
  },
  stream(chat, answer) {
    const chunk = (delta: object, finish_reason: string | null, counted?: object) => ({
      ...common(chat, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, finish_reason, native_finish_reason: finish_reason, logprobs: null }],
      ...(counted === undefined ? {} : { usage: counted }),
    });
    const deltas = openaiDeltas(answer, 'call_NZa7xqfefoaMI2YYHowVXVlU').map(
      ({ refusal: _, content = answer.kind === 'text' ? '' : null, ...delta }) => ({
        ...delta,
        role: 'assistant',
        content,
      }),
    );
    const end = { role: 'assistant', content: '' };
    return [
      ': OPENROUTER PROCESSING',
      ': OPENROUTER PROCESSING',
      ...deltas.map((delta) => chunk(delta, null)),
      chunk(end, finishReasonOf(answer)),
      chunk(end, null, usage),
    ];
  },
};

export function startOpenRouterUpstream(
  behaviour: ProviderBehaviour = {},
): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(openrouterDialect), behaviour);
}
