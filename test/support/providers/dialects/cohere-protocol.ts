/**
 * How Cohere's endpoint for OpenAI's format answers: it takes no `stream_options`, and tells usage unasked.
 * https://docs.cohere.com/docs/compatibility-api
 */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import type { ChatRequest } from '../openai/openai-request.ts';
import {
  bareUsage,
  chunksWithUsageAtTheEnd,
  finishReasonOf,
  openaiDeltas,
  openaiMessage,
} from '../openai/openai-shapes.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const common = ({ model }: ChatRequest, object: string) => ({
  id: '9b1a2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d',
  object,
  created: 1767225600,
  model,
});

const refusal = (status: number, message: string) => ({
  status,
  body: { id: '9b1a2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d', message },
});

const cohereDialect: Dialect = {
  path: '/compatibility/v1',
  headers: () => ({ 'x-debug-trace-id': '0f1e2d3c4b5a69788796a5b4c3d2e1f0' }),
  wrongKey: refusal(401, 'invalid api token'),
  unknownModel: (model) =>
    refusal(
      404,
      `model '${model}' not found, make sure the correct model ID was used and that you have access to the model.`,
    ),
  badRequest: ({ message }) => refusal(400, message),
  refuses: ({ body }) =>
    body.stream_options === undefined
      ? null
      : refusal(422, 'invalid type: parameter stream_options is not supported.'),
  plain: (chat, answer) => {
    const { refusal: _, annotations: __, ...message } = openaiMessage(answer, 'weather_3b7v0k4wq1zt');
    return {
      ...common(chat, 'chat.completion'),
      choices: [{ index: 0, finish_reason: finishReasonOf(answer), message }],
      usage: bareUsage,
    };
  },
  stream(chat, answer) {
    const deltas = openaiDeltas(answer, 'weather_3b7v0k4wq1zt').map(({ refusal: _, ...delta }) => delta);
    const chunk = (choices: object[], counted?: object) => ({
      ...common(chat, 'chat.completion.chunk'),
      choices,
      ...(counted === undefined ? {} : { usage: counted }),
    });
    const choice = (delta: object, finish_reason: string | null) => ({ index: 0, finish_reason, delta });
    return chunksWithUsageAtTheEnd(
      { chunk, deltas, choice, finishReason: finishReasonOf(answer) },
      bareUsage,
    );
  },
};

export function startCohereUpstream(behaviour: ProviderBehaviour = {}): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(cohereDialect), behaviour);
}
