/**
 * How NVIDIA's endpoint answers: as vLLM does, with null for what is not there, and a count so far in every chunk
 * of a stream. https://docs.api.nvidia.com/nim/reference/llm-apis
 */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import type { ChatRequest } from '../openai/openai-request.ts';
import {
  asksForUsage,
  bareUsage,
  finishReasonOf,
  openaiDeltas,
  openaiMessage,
} from '../openai/openai-shapes.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const { prompt_tokens, completion_tokens } = bareUsage;

const countedTo = (tokens: number) => ({
  prompt_tokens,
  total_tokens: prompt_tokens + tokens,
  completion_tokens: tokens,
});

const common = ({ model }: ChatRequest, object: string) => ({
  id: 'chatcmpl-0f6d4c3b2a1908f7e6d5c4b3a2918070',
  object,
  created: 1767225600,
  model,
});

const nvidiaDialect: Dialect = {
  path: '/v1',
  headers: () => ({ 'nvcf-reqid': '5d9e3a60-1a2b-4c3d-8e4f-5a6b7c8d9e0f', 'nvcf-status': 'fulfilled' }),
  wrongKey: {
    status: 401,
    body: { status: 401, title: 'Unauthorized', detail: 'Authentication failed' },
  },
  unknownModel: (model) => ({
    status: 404,
    body: {
      object: 'error',
      message: `The model \`${model}\` does not exist.`,
      type: 'NotFoundError',
      param: null,
      code: 404,
    },
  }),
  badRequest: ({ message }) => ({
    status: 400,
    body: { object: 'error', message, type: 'BadRequestError', param: null, code: 400 },
  }),
  refuses: () => null,
  plain: (chat, answer) => {
    const {
      annotations: _,
      tool_calls = [],
      ...message
    } = openaiMessage(answer, 'chatcmpl-tool-9f149c74c42f265b');
    return {
      ...common(chat, 'chat.completion'),
      choices: [
        {
          index: 0,
          message: { ...message, reasoning_content: null, tool_calls },
          logprobs: null,
          finish_reason: finishReasonOf(answer),
          stop_reason: null,
        },
      ],
      usage: { ...countedTo(completion_tokens), prompt_tokens_details: null },
      prompt_logprobs: null,
    };
  },
  stream(chat, answer) {
    const deltas = openaiDeltas(answer, 'chatcmpl-tool-9f149c74c42f265b').map(
      ({ refusal: _, ...delta }) => delta,
    );
    const chunk = (choices: object[], tokens: number) => ({
      ...common(chat, 'chat.completion.chunk'),
      choices,
      ...(asksForUsage(chat) ? { usage: countedTo(tokens) } : {}),
    });
    const choice = (delta: object, finish_reason: string | null) => ({
      index: 0,
      delta: { ...delta, reasoning_content: null },
      logprobs: null,
      finish_reason,
    });
    return [
      ...deltas.map((delta, at) => chunk([choice(delta, null)], Math.min(at, completion_tokens))),
      chunk([choice({}, finishReasonOf(answer))], completion_tokens),
      ...(asksForUsage(chat) ? [chunk([], completion_tokens)] : []),
    ];
  },
};

export function startNvidiaUpstream(behaviour: ProviderBehaviour = {}): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(nvidiaDialect), behaviour);
}
