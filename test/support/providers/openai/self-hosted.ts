/** Fakes of vLLM and Ollama, which refuse what the real ones refuse. Ollama ignores fields that it does not know, as vLLM does. */
import { isJsonObject } from '#lambdas/platform/json/json.ts';
import { respondWithChatTurn } from '../scripted/openai.ts';
import { type ChatDialect, ollamaDialect, vllmDialect } from '../scripted/openai-dialects.ts';
import type { Turn } from '../scripted/turns.ts';
import { type ProviderBehaviour, simulateCompletion } from '../simulated-model.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { type ChatRequest, type Rule, toPrompt } from './chat-request.ts';
import { minimalEmbeddings, openAiEmbeddingsAt } from './embeddings.ts';
import { createProtocol } from './protocol.ts';

const partTypes = (messages: ChatRequest['messages']) =>
  messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(isJsonObject).map(({ type }) => String(type)) : [],
  );

/** The largest number of tokens of prompt and output. */
const contextLength = 131_072;

/** https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/chat_completion/protocol.py */
const vllmRules: readonly Rule[] = [
  ({ stream, body }) =>
    body.stream_options != null &&
    stream !== true &&
    'Stream options can only be defined when `stream=True`.',
  ({ body, tools = [] }) =>
    body.tool_choice != null &&
    body.tool_choice !== 'none' &&
    tools.length === 0 &&
    'When using `tool_choice`, `tools` must be set.',
  ({ body: { reasoning_effort: effort } }) =>
    effort != null &&
    !['none', 'low', 'medium', 'high'].includes(String(effort)) &&
    `[{'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': "Input should be 'none', 'low', 'medium' or 'high'", 'input': '${effort}'}]`,
  ({ messages }) => {
    const unknown = partTypes(messages).find((type) => !/^(text|image_url|refusal|thinking)$/.test(type));
    return unknown !== undefined && `Unknown part type: ${unknown}`;
  },
  ({ body }) => {
    const limit = Number(body.max_completion_tokens ?? body.max_tokens ?? 0);
    return (
      limit > contextLength &&
      `'max_tokens' or 'max_completion_tokens' is too large: ${limit}. This model's maximum context length is ${contextLength} tokens and your request has 8 input tokens (${limit} > ${contextLength} - 8).`
    );
  },
];

const hasThinking = (model: string) => /^(gpt-oss|qwen3|deepseek-r1)/.test(model) && !/coder/.test(model);

/** https://github.com/ollama/ollama/blob/main/openai/openai.go, https://github.com/ollama/ollama/issues/12561 */
const ollamaRules: readonly Rule[] = [
  ({ body: { reasoning_effort: effort } }) =>
    effort != null &&
    !['none', 'low', 'medium', 'high'].includes(String(effort)) &&
    `invalid reasoning value: '${effort}' (must be "high", "medium", "low", or "none")`,
  ({ body: { reasoning_effort: effort }, model }) =>
    effort != null && effort !== 'none' && !hasThinking(model) && `"${model}" does not support thinking`,
  ({ tools = [], model }) =>
    tools.length > 0 && /^gemma:/.test(model) && `registry.ollama.ai/library/${model} does not support tools`,
  ({ messages }) =>
    partTypes(messages).some((type) => !/^(text|image_url)$/.test(type)) && 'invalid message format',
];

const servers = {
  vllm: { rules: vllmRules, scripted: vllmDialect },
  ollama: { rules: ollamaRules, scripted: ollamaDialect },
} satisfies Record<string, { rules: readonly Rule[]; scripted: ChatDialect }>;

type ServerName = keyof typeof servers;
export const selfHostedNames = Object.keys(servers) as ServerName[];

export function startSelfHostedUpstream(
  name: ServerName,
  behaviour: ProviderBehaviour = {},
): Promise<Upstream<ProviderBehaviour>> {
  const { rules, scripted: dialect } = servers[name];
  const respond = (chat: ChatRequest, current: ProviderBehaviour, requestId: string) =>
    respondWithChatTurn(simulateTurn(chat, current), { requestId, chat, dialect });
  const embeddings = openAiEmbeddingsAt('/v1/embeddings', minimalEmbeddings);
  return startUpstream(
    createProtocol({ path: '/v1', rules, scripted: dialect, embeddings, respond }),
    behaviour,
  );
}

function simulateTurn(chat: ChatRequest, behaviour: ProviderBehaviour): Turn {
  const simulated = simulateCompletion(toPrompt(chat), behaviour);
  const usage = { input: 19, output: 5 };
  if (simulated.kind === 'text') return { parts: [{ type: 'text', text: simulated.chunks.join('') }], usage };
  const input = isJsonObject(simulated.input) ? simulated.input : {};
  return { parts: [{ type: 'call', name: simulated.name, input }], usage };
}
