/**
 * How xAI answers: reasoning is counted beside the completion, the cost is stated, and a chunk says nothing of a
 * finish reason before the last. https://docs.x.ai/docs/api-reference#chat-completions
 */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import type { ChatRequest } from '../openai/openai-request.ts';
import { asksForUsage, bareUsage, chunksWithUsageChunk, finishReasonOf } from '../openai/openai-shapes.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { fullText, type SmallAnswer } from '../small-answer.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const usage = {
  ...bareUsage,
  prompt_tokens_details: { text_tokens: 19, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
  num_sources_used: 0,
  cost_in_usd_ticks: 1320000,
};

const common = ({ model }: ChatRequest, object: string) => ({
  id: 'de9d896d-e946-b3a7-bb14-75ab33326930',
  object,
  created: 1767225600,
  model,
  system_fingerprint: 'fp_2a885414fb',
});

const refusal = (status: number, code: string, error: string) => ({ status, body: { code, error } });

const xaiDialect: Dialect = {
  path: '/v1',
  // xAI tells a wrong key with 400.
  wrongKey: refusal(
    400,
    'Client specified an invalid argument',
    'Incorrect API key provided: xa***ng. You can obtain an API key from https://console.x.ai.',
  ),
  unknownModel: (model) =>
    refusal(
      404,
      'Some requested entity was not found',
      `The model ${model} does not exist or your team does not have access to it.`,
    ),
  badRequest: ({ message }) => refusal(400, 'Client specified an invalid argument', message),
  refuses: () => null,
  plain: (chat, answer) => ({
    ...common(chat, 'chat.completion'),
    choices: [{ index: 0, message: messageOf(answer), finish_reason: finishReasonOf(answer) }],
    usage,
  }),
  stream(chat, answer) {
    const chunk = (choices: object[], counted?: object) => ({
      ...common(chat, 'chat.completion.chunk'),
      choices,
      ...(counted === undefined ? {} : { usage: counted }),
    });
    const choice = (delta: object, reason: string | null) => ({
      index: 0,
      delta,
      ...(reason === null ? {} : { finish_reason: reason }),
    });
    const form = { chunk, deltas: deltasOf(answer), choice, finishReason: finishReasonOf(answer) };
    return chunksWithUsageChunk(form, asksForUsage(chat) ? usage : null);
  },
};

/** A tool call comes whole, also in a stream. */
function toolCallOf({ name, argumentPieces }: Extract<SmallAnswer, { kind: 'tool' }>) {
  const callee = { name, arguments: fullText(argumentPieces) };
  return { id: 'call_55117580', function: callee, type: 'function' };
}

function messageOf(answer: SmallAnswer) {
  if (answer.kind === 'text') return { role: 'assistant', content: fullText(answer.pieces), refusal: null };
  return { role: 'assistant', content: '', tool_calls: [toolCallOf(answer)], refusal: null };
}

function deltasOf(answer: SmallAnswer): object[] {
  const pieces: object[] =
    answer.kind === 'text'
      ? answer.pieces.map((content) => ({ content }))
      : [{ tool_calls: [{ ...toolCallOf(answer), index: 0 }] }];
  return pieces.map((piece, at) => (at === 0 ? { ...piece, role: 'assistant' } : piece));
}

export function startXaiUpstream(behaviour: ProviderBehaviour = {}): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(xaiDialect), behaviour);
}
