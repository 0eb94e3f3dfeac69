/**
 * How Fireworks answers: close to OpenAI, without refusals in a message, with usage beside the last choice.
 * https://docs.fireworks.ai/api-reference/post-chatcompletions
 */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import type { ChatRequest, RequestProblem } from '../openai/openai-request.ts';
import {
  bareUsage,
  chunksWithUsageAtTheEnd,
  finishReasonOf,
  openaiDeltas,
  openaiMessage,
} from '../openai/openai-shapes.ts';
import { firstUnknownField } from '../openai/strict-messages.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const usage = { ...bareUsage, prompt_tokens_details: { cached_tokens: 0 } };

const common = ({ model }: ChatRequest, object: string) => ({
  id: '3f0c6c1f-7a2b-4d3e-9a1b-2c3d4e5f6071',
  object,
  created: 1767225600,
  model,
});

const fields = ['role', 'content', 'name', 'reasoning_content', 'tool_call_id', 'tool_calls'];
/** https://github.com/fw-ai-external/python-sdk, `types/shared_params/chat_message.py`: one type for all roles. */
const known = {
  messages: { system: fields, developer: fields, user: fields, assistant: fields, tool: fields },
  toolCall: ['id', 'function', 'type'],
};

/** https://github.com/earendil-works/pi/issues/4514 */
function unknownField(chat: ChatRequest): RequestProblem | null {
  const unknown = firstUnknownField(chat, known);
  if (unknown === null) return null;
  const { at, inside, name = 'role' } = unknown;
  const path = [`messages[${at}]`, ...inside, name].join('.');
  return { message: `Extra inputs are not permitted, field: '${path}'`, param: null, code: null };
}

const refusal = (status: number, message: string, code: string) => ({
  status,
  body: { error: { object: 'error', type: 'invalid_request_error', code, message } },
});

const fireworksDialect: Dialect = {
  path: '/inference/v1',
  wrongKey: refusal(401, 'The API key you provided is invalid.', 'UNAUTHORIZED'),
  unknownModel: () => refusal(404, 'Model not found, inaccessible, and/or not deployed', 'NOT_FOUND'),
  badRequest: ({ message }) => refusal(400, message, 'INVALID_ARGUMENT'),
  refuses: unknownField,
  plain: (chat, answer) => {
    const {
      refusal: _,
      annotations: __,
      ...message
    } = openaiMessage(answer, 'call_Q1w2E3r4T5y6U7i8O9p0A1s2');
    return {
      ...common(chat, 'chat.completion'),
      choices: [{ index: 0, message, finish_reason: finishReasonOf(answer) }],
      usage,
    };
  },
  stream(chat, answer) {
    const deltas = openaiDeltas(answer, 'call_Q1w2E3r4T5y6U7i8O9p0A1s2').map(
      ({ refusal: _, ...delta }) => delta,
    );
    const chunk = (choices: object[], counted: object | null = null) => ({
      ...common(chat, 'chat.completion.chunk'),
      choices,
      usage: counted,
    });
    const choice = (delta: object, finish_reason: string | null) => ({ index: 0, delta, finish_reason });
    return chunksWithUsageAtTheEnd({ chunk, deltas, choice, finishReason: finishReasonOf(answer) }, usage);
  },
};

export function startFireworksUpstream(
  behaviour: ProviderBehaviour = {},
): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(fireworksDialect), behaviour);
}
