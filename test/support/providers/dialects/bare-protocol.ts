/** A small server that speaks OpenAI's format as far as most clients look: no `object`, no index, no logprobs. */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import { bareUsage, finishReasonOf, openaiDeltas, openaiMessage } from '../openai/openai-shapes.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const bareDialect: Dialect = {
  path: '/v1',
  wrongKey: { status: 401, body: { error: 'unauthorized' } },
  unknownModel: (model) => ({ status: 404, body: { error: `model "${model}" not found` } }),
  badRequest: ({ message }) => ({ status: 400, body: { error: message } }),
  refuses: () => null,
  plain: ({ model }, answer) => {
    const { refusal: _, annotations: __, ...message } = openaiMessage(answer);
    return {
      id: 'cmpl-1',
      model,
      choices: [{ message, finish_reason: finishReasonOf(answer) }],
      usage: { prompt_tokens: bareUsage.prompt_tokens, completion_tokens: bareUsage.completion_tokens },
    };
  },
  stream({ model }, answer) {
    const chunk = (delta: object, finish_reason?: string) => ({
      id: 'cmpl-1',
      model,
      choices: [{ delta, ...(finish_reason === undefined ? {} : { finish_reason }) }],
    });
    const deltas = openaiDeltas(answer).map(({ refusal: _, ...delta }) => delta);
    const { prompt_tokens, completion_tokens } = bareUsage;
    return [
      ...deltas.map((delta) => chunk(delta)),
      { ...chunk({}, finishReasonOf(answer)), usage: { prompt_tokens, completion_tokens } },
    ];
  },
};

export function startBareUpstream(behaviour: ProviderBehaviour = {}): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(bareDialect), behaviour);
}
