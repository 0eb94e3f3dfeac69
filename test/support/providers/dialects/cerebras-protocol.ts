/**
 * How Cerebras answers: a chunk says nothing of a finish reason before the last, which has usage and times, and a
 * message leaves out what it does not have. https://inference-docs.cerebras.ai/api-reference/chat-completions
 */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import type { ChatRequest, RequestProblem } from '../openai/openai-request.ts';
import { bareUsage, chunksWithUsageAtTheEnd, finishReasonOf } from '../openai/openai-shapes.ts';
import { firstUnknownField } from '../openai/strict-messages.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { fullText, type SmallAnswer } from '../small-answer.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const usage = {
  ...bareUsage,
  completion_tokens_details: { accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  prompt_tokens_details: { cached_tokens: 0 },
};

const time_info = {
  created: 1767225600.1957242,
  queue_time: 0.00306479,
  prompt_time: 0.01150595,
  completion_time: 0.16727912,
  total_time: 0.1844015121459961,
};

const common = ({ model }: ChatRequest, object: string) => ({
  created: 1767225600,
  model,
  system_fingerprint: 'fp_a33c042689e969567008',
  object,
});

const id = 'chatcmpl-9e97f9ca-9626-4ef8-8543-6e3ee7cef659';

/** https://github.com/Cerebras/cerebras-cloud-sdk-python, `types/chat` */
const known = {
  messages: {
    system: ['role', 'content', 'name'],
    user: ['role', 'content', 'name'],
    assistant: ['role', 'content', 'name', 'reasoning', 'tool_calls'],
    tool: ['role', 'content', 'name', 'tool_call_id'],
  },
  toolCall: ['id', 'function', 'type'],
};

/** https://github.com/NousResearch/hermes-agent/issues/34716 */
function unknownField(chat: ChatRequest): RequestProblem | null {
  const unknown = firstUnknownField(chat, known);
  if (unknown === null) return null;
  const { at, role, inside, name = 'role' } = unknown;
  const path = ['messages', at, role, ...inside, name].join('.');
  return { message: `${path}: property '${path}' is unsupported`, param: 'validation_error', code: null };
}

const refusal = (status: number, said: object) => ({ status, body: said });

const cerebrasDialect: Dialect = {
  path: '/v1',
  wrongKey: refusal(401, {
    message: 'Wrong API Key',
    type: 'invalid_request_error',
    param: 'api_key',
    code: 'wrong_api_key',
  }),
  unknownModel: (model) =>
    refusal(404, {
      message: `Model ${model} does not exist or you do not have access to it.`,
      type: 'not_found_error',
      param: 'model',
      code: 'model_not_found',
    }),
  badRequest: ({ message, param }) =>
    refusal(400, { message, type: 'invalid_request_error', param, code: 'wrong_api_format' }),
  refuses: unknownField,
  plain: (chat, answer) => ({
    id,
    choices: [{ finish_reason: finishReasonOf(answer), index: 0, message: messageOf(answer) }],
    ...common(chat, 'chat.completion'),
    usage,
    time_info,
  }),
  stream(chat, answer) {
    const chunk = (choices: object[], counted?: object) => ({
      id,
      choices,
      ...common(chat, 'chat.completion.chunk'),
      ...(counted === undefined ? {} : { usage: counted, time_info }),
    });
    const choice = (delta: object, reason: string | null) =>
      reason === null ? { delta, index: 0 } : { delta, finish_reason: reason, index: 0 };
    const pieces: object[] =
      answer.kind === 'text'
        ? answer.pieces.map((content) => ({ content }))
        : [{ tool_calls: [{ ...toolCallOf(answer), index: 0 }] }];
    const deltas = [{ role: 'assistant' }, ...pieces];
    return chunksWithUsageAtTheEnd({ chunk, deltas, choice, finishReason: finishReasonOf(answer) }, usage);
  },
};

function toolCallOf({ name, argumentPieces }: Extract<SmallAnswer, { kind: 'tool' }>) {
  return { function: { name, arguments: fullText(argumentPieces) }, type: 'function', id: 'bbd2b9d98' };
}

function messageOf(answer: SmallAnswer) {
  return answer.kind === 'text'
    ? { content: fullText(answer.pieces), role: 'assistant' }
    : { tool_calls: [toolCallOf(answer)], role: 'assistant' };
}

export function startCerebrasUpstream(
  behaviour: ProviderBehaviour = {},
): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(cerebrasDialect), behaviour);
}
