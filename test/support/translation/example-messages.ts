/** Parts of Messages requests: blocks of content, and conversations with them. */
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { type SignatureOwner, writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

export const look = { name: 'look', input_schema: { type: 'object', properties: {} } };
export const talk = { ...look, name: 'talk' };
export const call = { type: 'tool_use', id: 'a', name: 'look', input: {} };
export const thinking = (signature: string) => ({ type: 'thinking', thinking: 'Hm', signature });
export const reply = { type: 'text', text: 'Well' };

/** The user's blocks. */
export const userMessage = (...content: JsonObject[]) => ({ messages: [{ role: 'user', content }] });

/** A system message changes the tools. */
export const toolsChanged = (block: JsonObject) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: [block] },
  ],
});

/** The model's blocks, and what follows them. */
export const withReply = (content: JsonObject[], next: unknown = 'And?') => ({
  tools: [look],
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content },
    { role: 'user', content: next },
  ],
});

export const called = (...content: JsonObject[]) =>
  withReply(content, [{ type: 'tool_result', tool_use_id: 'a' }]);
export const returned = (fields: JsonObject) =>
  withReply([call], [{ type: 'tool_result', tool_use_id: 'a', content: 'Rain', ...fields }]);

export const base64 = (mediaType: string) => ({ type: 'base64', media_type: mediaType, data: 'AAAA' });
export const image = (source: JsonObject) => ({ type: 'image', source });
export const document = (source: JsonObject, fields: JsonObject = {}) => ({
  type: 'document',
  source,
  ...fields,
});
export const searchResult = {
  type: 'search_result',
  title: 'Weather',
  source: 'https://x.example',
  content: [{ type: 'text', text: 'Rain' }],
};
export const webSearch = { type: 'web_search_20250305', name: 'web_search' };
export const serverToolUse = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'Rain' },
};
export const schema = {
  type: 'object',
  properties: { forecast: { type: 'string' } },
  additionalProperties: false,
};

/** A call with the opaque data of a provider. */
export const signedCall = (provider: string, format: Payload['format'], data: string) => {
  const owner: SignatureOwner = { callId: 'a' };
  const payload: Payload = { format, kind: 'signature', data };
  return called(thinking(writeSignature({ provider, owner, payload })), call);
};
export const ownFormats: Record<string, Payload['format']> = { google: 'google', bedrock: 'bedrock' };
export const ownData = '{"extra_content":{"google":{"thought_signature":"Ag=="}}}';
