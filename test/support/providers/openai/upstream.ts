/** A fake of OpenAI itself. */
import { type SimulatedCompletion, simulateCompletion } from '../simulated-model.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { eventStream, jsonResponse, type Respond, streamResponse } from '../upstream-responses.ts';
import { type ChatRequest, requestsUsage, toPrompt } from './chat-request.ts';
import { openAiEmbeddings, openAiEmbeddingsAt } from './embeddings.ts';
import { doneEvent, event, exampleUsage, type Usage } from './events.ts';
import { openaiRules } from './openai-rules.ts';
import { createProtocol } from './protocol.ts';
import { createResponsesEndpoint, openAiResponses, type ResponsesBehaviour } from './responses/endpoint.ts';

interface OpenAIBehaviour extends ResponsesBehaviour {
  usage?: Usage;
  textChunks?: readonly string[];
}

export type OpenAIUpstream = Upstream<OpenAIBehaviour>;

const headers = { 'openai-version': '2020-10-01', 'openai-processing-ms': '12' };
const snapshots: Record<string, string> = {
  'gpt-4o': 'gpt-4o-2024-08-06',
  'gpt-4o-mini': 'gpt-4o-mini-2024-07-18',
};

export function startOpenAIUpstream(behaviour: OpenAIBehaviour = {}): Promise<OpenAIUpstream> {
  const embeddings = openAiEmbeddingsAt('/v1/embeddings', openAiEmbeddings);
  const responses = createResponsesEndpoint(openAiResponses);
  const dialect = { path: '/v1', rules: openaiRules, embeddings, responses, respond };
  return startUpstream(createProtocol(dialect), behaviour);
}

function respond(chat: ChatRequest, behaviour: OpenAIBehaviour): Respond {
  const { textChunks, usage = exampleUsage } = behaviour;
  const simulated = simulateCompletion(toPrompt(chat), behaviour);
  const completion: SimulatedCompletion =
    simulated.kind === 'text' && textChunks !== undefined ? { kind: 'text', chunks: textChunks } : simulated;
  const common = {
    id: 'chatcmpl-1',
    created: 1767225600,
    model: snapshots[chat.model] ?? chat.model,
    service_tier: 'default',
    system_fingerprint: 'fp_1',
  };
  const finish_reason = completion.kind === 'tool' ? 'tool_calls' : 'stop';
  if (chat.stream !== true) {
    const choice = { index: 0, message: toMessage(completion), logprobs: null, finish_reason };
    return jsonResponse({ ...common, object: 'chat.completion', choices: [choice], usage }, { headers });
  }
  // With `include_usage` every chunk has `usage`: `null` in all but the last, whose `choices` are empty.
  const includeUsage = requestsUsage(chat);
  const chunk = (choices: object[], chunkUsage: Usage | null = null) =>
    event({
      ...common,
      object: 'chat.completion.chunk',
      choices,
      ...(includeUsage && { usage: chunkUsage }),
    });
  const chunkOf = (delta: object, reason: string | null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }]);
  const chunks = [
    ...toDeltas(completion).map((delta) => chunkOf(delta, null)),
    chunkOf({}, finish_reason),
    ...(includeUsage ? [chunk([], usage)] : []),
    doneEvent,
  ];
  return streamResponse(chunks, { headers: { ...eventStream, ...headers } });
}

function toMessage(completion: SimulatedCompletion): object {
  const rest = { refusal: null, annotations: [] };
  if (completion.kind === 'text') return { role: 'assistant', content: completion.chunks.join(''), ...rest };
  const callee = { name: completion.name, arguments: JSON.stringify(completion.input) };
  const call = { id: 'call_1', type: 'function', function: callee };
  return { role: 'assistant', content: null, tool_calls: [call], ...rest };
}

function toDeltas(completion: SimulatedCompletion): object[] {
  if (completion.kind === 'text') {
    const first = { role: 'assistant', content: '', refusal: null };
    return [first, ...completion.chunks.map((content) => ({ content }))];
  }
  const json = JSON.stringify(completion.input);
  const middle = json.indexOf(':') + 1;
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: completion.name, arguments: '' },
  };
  return [
    { role: 'assistant', content: null, tool_calls: [call], refusal: null },
    ...[json.slice(0, middle), json.slice(middle)].map((text) => ({
      tool_calls: [{ index: 0, function: { arguments: text } }],
    })),
  ];
}
