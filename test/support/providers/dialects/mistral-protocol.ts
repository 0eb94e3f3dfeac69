/**
 * How Mistral answers: usage comes unasked beside the last choice, a streamed tool call comes whole, without index
 * and type, and a message says nothing of refusals. https://docs.mistral.ai/api/#tag/chat
 */

import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import type { ChatRequest } from '../openai/openai-request.ts';
import { bareUsage, chunksWithUsageAtTheEnd, finishReasonOf } from '../openai/openai-shapes.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { fullText, type SmallAnswer } from '../small-answer.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { mistralError, refusedByMistral } from './mistral-request.ts';

const usage = { ...bareUsage, prompt_tokens_details: { cached_tokens: 0 }, service_tier: 'standard' };

const common = ({ model }: ChatRequest, object: string) => ({
  id: '0b7c4f1d2e3a4b5c8d9e0f1a2b3c4d5e',
  object,
  created: 1767225600,
  model,
});

const mistralDialect: Dialect = {
  path: '/v1',
  headers: ({ requestId }) => ({
    'mistral-correlation-id': `019b-${requestId}`,
    'x-kong-request-id': `019b-${requestId}`,
  }),
  wrongKey: { status: 401, body: { detail: 'Unauthorized' } },
  unknownModel: (model) =>
    mistralError(400, { message: `Invalid model: ${model}`, type: 'invalid_model', code: '1500' }),
  badRequest: ({ message }) => mistralError(400, { message, type: 'invalid_request_error', code: '3001' }),
  refuses: refusedByMistral,
  plain: (chat, answer) => ({
    ...common(chat, 'chat.completion'),
    usage,
    choices: [{ index: 0, finish_reason: finishReasonOf(answer), message: messageOf(answer) }],
  }),
  stream(chat, answer) {
    const chunk = (choices: object[], counted?: object) => ({
      ...common(chat, 'chat.completion.chunk'),
      choices,
      ...(counted === undefined ? {} : { usage: counted }),
    });
    const choice = (delta: object, finish_reason: string | null) => ({ index: 0, delta, finish_reason });
    const begin = { role: 'assistant', content: '' };
    if (answer.kind === 'tool') {
      const last = choice({ content: null, tool_calls: [toolCallOf(answer)] }, 'tool_calls');
      return [chunk([choice(begin, null)]), chunk([last], usage)];
    }
    const deltas = [begin, ...answer.pieces.map((content) => ({ content }))];
    return chunksWithUsageAtTheEnd(
      {
        chunk,
        deltas,
        choice: (delta, reason) => choice(reason ? { content: '' } : delta, reason),
        finishReason: 'stop',
      },
      usage,
    );
  },
};

function messageOf(answer: SmallAnswer) {
  return answer.kind === 'text'
    ? { role: 'assistant', tool_calls: null, content: fullText(answer.pieces) }
    : { role: 'assistant', tool_calls: [toolCallOf(answer)], content: '' };
}

function toolCallOf({ name, argumentPieces }: Extract<SmallAnswer, { kind: 'tool' }>) {
  return { id: 'gSIMJiOkT', function: { name, arguments: fullText(argumentPieces) } };
}

export function startMistralUpstream(
  behaviour: ProviderBehaviour = {},
): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(mistralDialect), behaviour);
}
