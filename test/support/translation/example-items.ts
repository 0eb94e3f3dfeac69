/** Parts of Responses requests: items, tools, and conversations with them. */
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

export const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };
export const write = {
  type: 'custom',
  name: 'write',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: WORD' },
};
export const agents = { type: 'namespace', name: 'agents', tools: [{ ...look, name: 'ask' }] };
export const webSearch = { type: 'web_search' };
export const schema = {
  type: 'object',
  properties: { forecast: { type: 'string' } },
  required: ['forecast'],
  additionalProperties: false,
};

export const message = (role: string, text: string) => ({
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
export const reply = message('assistant', 'Well');
export const call = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'a', output: 'Rain' };

/** The parts of the user. */
export const userMessage = (...content: JsonObject[]) => ({ input: [{ role: 'user', content }] });

/** The model's items, and what follows them. */
export const withItems = (items: JsonObject[], next: JsonObject = message('user', 'And?')) => ({
  tools: [look],
  input: [message('user', 'Hi'), ...items, next],
});
export const called = (...items: JsonObject[]) => withItems(items, output);
export const returned = (fields: JsonObject) => withItems([call], { ...output, ...fields });

export const reasoning = (encrypted: string | null, text = 'Hm') => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  encrypted_content: encrypted,
});

/** Reasoning that `provider` has shown, without data of its own. */
export const unsigned = (provider: string) =>
  reasoning(writeSignature({ provider, owner: 'thinking', payload: null }));

/** The data of a call, or of the reasoning itself, in the format of the API of `provider`. */
export function signed(provider: string): JsonObject {
  const { format, data } = ownData[provider] ?? openAiData;
  const payload: Payload = { format, kind: 'signature', data };
  const isOfReasoning = format === 'anthropic';
  const owner = isOfReasoning ? 'thinking' : { callId: 'a' };
  return reasoning(writeSignature({ provider, owner, payload }), isOfReasoning ? 'Hm' : '');
}

type OwnData = Pick<Payload, 'format' | 'data'>;

const openAiData: OwnData = {
  format: 'openai',
  data: '{"extra_content":{"google":{"thought_signature":"Ag=="}}}',
};
const ownData: Record<string, OwnData> = {
  google: { format: 'google', data: 'Ag==' },
  anthropic: { format: 'anthropic', data: 'EqQB' },
  bedrock: { format: 'anthropic', data: 'EqQB' },
};
