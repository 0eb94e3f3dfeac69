/**
 * How Groq answers: usage beside the last choice, and under `x_groq` too, where it stands even when nobody asked.
 * https://console.groq.com/docs/api-reference#chat-create
 */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import type { ChatRequest, RequestProblem } from '../openai/openai-request.ts';
import {
  asksForUsage,
  bareUsage,
  chunksWithUsageAtTheEnd,
  finishReasonOf,
  openaiChoice,
  openaiDeltas,
  openaiMessage,
} from '../openai/openai-shapes.ts';
import { firstUnknownField } from '../openai/strict-messages.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const usage = {
  queue_time: 0.041520249,
  ...bareUsage,
  prompt_time: 0.000658349,
  completion_time: 0.046601227,
  total_time: 0.047259576,
};

const common = ({ model }: ChatRequest, object: string) => ({
  id: 'chatcmpl-b610d559-f156-4aca-8827-24b4fe6af54f',
  object,
  created: 1767225600,
  model,
});

/** https://github.com/groq/groq-python, `types/chat` */
const known = {
  messages: {
    system: ['role', 'content', 'name'],
    developer: ['role', 'content', 'name'],
    user: ['role', 'content', 'name'],
    assistant: ['role', 'content', 'name', 'function_call', 'reasoning', 'tool_calls'],
    tool: ['role', 'content', 'name', 'tool_call_id'],
  },
  toolCall: ['id', 'function', 'type'],
};

/** https://github.com/spring-projects/spring-ai/issues/6968 */
function unknownField(chat: ChatRequest): RequestProblem | null {
  const unknown = firstUnknownField(chat, known);
  if (unknown === null) return null;
  const at = `'messages.${unknown.at}'`;
  const fault = unknown.name === undefined ? 'discriminator' : 'property';
  const message = `${at} : for 'role:${unknown.role}' the following must be satisfied[(${at} : ${fault} '${unknown.name ?? 'role'}' is unsupported)]`;
  return { message, param: null, code: null };
}

const id = 'req_01kh52nj5yfcat8hrmvrk2j2hj';

const groqDialect: Dialect = {
  path: '/openai/v1',
  wrongKey: {
    status: 401,
    body: { error: { message: 'Invalid API Key', type: 'invalid_request_error', code: 'invalid_api_key' } },
  },
  unknownModel: (model) => ({
    status: 404,
    body: {
      error: {
        message: `The model \`${model}\` does not exist or you do not have access to it.`,
        type: 'invalid_request_error',
        code: 'model_not_found',
      },
    },
  }),
  badRequest: ({ message }) => ({
    status: 400,
    body: { error: { message, type: 'invalid_request_error' } },
  }),
  refuses(chat) {
    const { response_format: format, tools } = chat;
    if (format?.type !== 'json_object' || tools === undefined) return unknownField(chat);
    const message = 'json mode cannot be combined with tool/function calling';
    return { message, param: 'response_format', code: null };
  },
  plain: (chat, answer) => {
    const { refusal: _, annotations: __, ...message } = openaiMessage(answer, 'tk85n1k4m');
    return {
      ...common(chat, 'chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(answer) }],
      usage,
      usage_breakdown: null,
      system_fingerprint: 'fp_f8b414701e',
      x_groq: { id, seed: 689520654 },
      service_tier: 'on_demand',
    };
  },
  stream(chat, answer) {
    const deltas = openaiDeltas(answer, 'tk85n1k4m').map(({ refusal: _, ...delta }) => delta);
    const chunk = (choices: object[], counted?: object) => ({
      ...common(chat, 'chat.completion.chunk'),
      system_fingerprint: 'fp_f8b414701e',
      choices,
      ...(counted === undefined ? {} : { x_groq: { id, usage: counted } }),
      ...(counted !== undefined && asksForUsage(chat) ? { usage: counted } : {}),
    });
    const form = { chunk, deltas, choice: openaiChoice, finishReason: finishReasonOf(answer) };
    const [first, ...rest] = chunksWithUsageAtTheEnd(form, usage);
    return [{ ...first, x_groq: { id, seed: 689520654 } }, ...rest];
  },
};

export function startGroqUpstream(behaviour: ProviderBehaviour = {}): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(groqDialect), behaviour);
}
