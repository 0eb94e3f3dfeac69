/** OpenAI itself, on loopback. */
import { type ProviderBehaviour, type SimulatedCompletion, simulateCompletion } from '../simulated-model.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { eventStream, jsonResponse, type Respond, streamResponse } from '../upstream-responses.ts';
import { asksForUsage, type ChatRequest, openaiRules, promptOf } from './chat-request.ts';
import { protocolOf } from './format.ts';
import { doneEvent, event, exampleUsage, type Usage } from './openai-events.ts';

export interface OpenAIBehaviour extends ProviderBehaviour {
  /** Stated in the answer; `exampleUsage` unless it says otherwise. */
  usage?: Usage;
  /** The text of the answer, in the pieces in which a stream sends it. */
  pieces?: readonly string[];
}

export type OpenAIUpstream = Upstream<OpenAIBehaviour>;

const headers = { 'openai-version': '2020-10-01', 'openai-processing-ms': '12' };
const snapshots: Record<string, string> = {
  'gpt-4o': 'gpt-4o-2024-08-06',
  'gpt-4o-mini': 'gpt-4o-mini-2024-07-18',
};

export function startOpenAIUpstream(behaviour: OpenAIBehaviour = {}): Promise<OpenAIUpstream> {
  return startUpstream(protocolOf({ path: '/v1', rules: openaiRules, respond }), behaviour);
}

function respond(chat: ChatRequest, behaviour: OpenAIBehaviour): Respond {
  const { pieces, usage = exampleUsage } = behaviour;
  const small = simulateCompletion(promptOf(chat), behaviour);
  const said: SimulatedCompletion =
    small.kind === 'text' && pieces !== undefined ? { kind: 'text', pieces } : small;
  const common = {
    id: 'chatcmpl-1',
    created: 1767225600,
    model: snapshots[chat.model] ?? chat.model,
    service_tier: 'default',
    system_fingerprint: 'fp_1',
  };
  const finish_reason = said.kind === 'tool' ? 'tool_calls' : 'stop';
  if (chat.stream !== true) {
    const choice = { index: 0, message: messageOf(said), logprobs: null, finish_reason };
    return jsonResponse({ ...common, object: 'chat.completion', choices: [choice], usage }, { headers });
  }
  // With `include_usage` every chunk has `usage`, which is null in all but the last, whose `choices` are empty.
  const asked = asksForUsage(chat);
  const chunk = (choices: object[], counted: Usage | null = null) =>
    event({ ...common, object: 'chat.completion.chunk', choices, ...(asked && { usage: counted }) });
  const chunkOf = (delta: object, reason: string | null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }]);
  const chunks = [
    ...deltasOf(said).map((delta) => chunkOf(delta, null)),
    chunkOf({}, finish_reason),
    ...(asked ? [chunk([], usage)] : []),
    doneEvent,
  ];
  return streamResponse(chunks, { headers: { ...eventStream, ...headers } });
}

function messageOf(said: SimulatedCompletion): object {
  const rest = { refusal: null, annotations: [] };
  if (said.kind === 'text') return { role: 'assistant', content: said.pieces.join(''), ...rest };
  const callee = { name: said.name, arguments: JSON.stringify(said.input) };
  const call = { id: 'call_1', type: 'function', function: callee };
  return { role: 'assistant', content: null, tool_calls: [call], ...rest };
}

function deltasOf(said: SimulatedCompletion): object[] {
  if (said.kind === 'text') {
    const first = { role: 'assistant', content: '', refusal: null };
    return [first, ...said.pieces.map((content) => ({ content }))];
  }
  const json = JSON.stringify(said.input);
  const middle = json.indexOf(':') + 1;
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: said.name, arguments: '' } };
  return [
    { role: 'assistant', content: null, tool_calls: [call], refusal: null },
    ...[json.slice(0, middle), json.slice(middle)].map((text) => ({
      tool_calls: [{ index: 0, function: { arguments: text } }],
    })),
  ];
}
