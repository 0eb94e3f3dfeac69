/**
 * How DeepSeek answers: thinking in `reasoning_content`, what the cache served in fields of its own, and comments
 * while a request waits. https://api-docs.deepseek.com/api/create-chat-completion
 */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import type { ChatRequest, RequestProblem } from '../openai/openai-request.ts';
import {
  bareUsage,
  chunksWithUsageAtTheEnd,
  finishReasonOf,
  openaiChoice,
  openaiDeltas,
  openaiMessage,
} from '../openai/openai-shapes.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const usage = {
  ...bareUsage,
  prompt_tokens_details: { cached_tokens: 0 },
  prompt_cache_hit_tokens: 0,
  prompt_cache_miss_tokens: 19,
};

const common = ({ model }: ChatRequest, object: string) => ({
  id: '6e77be01-935b-42f6-8b05-d6c763528589',
  object,
  created: 1767225600,
  model,
  system_fingerprint: 'a26a7955944dc5c60445bff77fac9c8e',
});

/** https://github.com/earendil-works/pi/issues/1048 */
function unknownRole({ messages }: ChatRequest): RequestProblem | null {
  const roles = ['system', 'user', 'assistant', 'tool', 'latest_reminder'];
  const at = messages.findIndex(({ role }) => !roles.includes(role));
  if (at === -1) return null;
  const expected = roles.map((role) => `\`${role}\``).join(', ');
  const message = `Failed to deserialize the JSON body into the target type: messages[${at}].role: unknown variant \`${messages[at]?.role}\`, expected one of ${expected}`;
  return { message, param: null, code: null };
}

const refusal = (status: number, message: string, type: string) => ({
  status,
  body: { error: { message, type, param: null, code: 'invalid_request_error' } },
});

const deepseekDialect: Dialect = {
  path: '',
  headers: () => ({ 'x-ds-trace-id': '8f0c6c1f7a2b4d3e9a1b2c3d4e5f6071' }),
  wrongKey: refusal(401, 'Authentication Fails, Your api key: ****rong is invalid', 'authentication_error'),
  unknownModel: () => refusal(400, 'Model Not Exist', 'invalid_request_error'),
  badRequest: ({ message }) => refusal(400, message, 'invalid_request_error'),
  refuses: unknownRole,
  plain: (chat, answer) => {
    const {
      refusal: _,
      annotations: __,
      ...message
    } = openaiMessage(answer, 'call_00_IhCAliIHtM9gKpgfqbBV9873');
    return {
      ...common(chat, 'chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(answer) }],
      usage,
    };
  },
  stream(chat, answer) {
    const deltas = openaiDeltas(answer, 'call_00_IhCAliIHtM9gKpgfqbBV9873').map(
      ({ refusal: _, ...delta }) => delta,
    );
    const chunk = (choices: object[], counted: object | null = null) => ({
      ...common(chat, 'chat.completion.chunk'),
      choices,
      usage: counted,
    });
    const form = { chunk, deltas, choice: openaiChoice, finishReason: finishReasonOf(answer) };
    return [': keep-alive', ...chunksWithUsageAtTheEnd(form, usage)];
  },
};

export function startDeepSeekUpstream(
  behaviour: ProviderBehaviour = {},
): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(deepseekDialect), behaviour);
}
