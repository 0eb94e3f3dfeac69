/** The fakes whose models sign their reasoning refuse signatures that have changed, or that stand at something else. */
import { afterEach, describe, expect, it } from 'vitest';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { type FakeProvider, fakeProviders } from '../fake-providers.ts';
import type { Turn } from './turns.ts';

let upstream: FakeProvider | undefined;
afterEach(() => upstream?.stop());

const turn: Turn = {
  parts: [
    { type: 'reasoning', text: 'I look it up.' },
    { type: 'call', name: 'weather', input: { city: 'Oslo' } },
  ],
  usage: { input: 9, output: 7 },
};

interface Api {
  path: string;
  headers: Record<string, string>;
  request: JsonObject;
  /** The turns that follow the first, with the content of the response. */
  continued(response: JsonObject): JsonObject;
}

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const user = (content: unknown) => ({ role: 'user', content });

const apis: Record<string, Api> = {
  anthropic: {
    path: '/messages',
    headers: { 'x-api-key': 'sk-1', 'anthropic-version': '2023-06-01' },
    request: {
      model: 'claude-sonnet-4-5',
      max_tokens: 4096,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: [{ name: 'weather', input_schema: schema }],
      messages: [user('Hello')],
    },
    continued({ content }) {
      const id = (content as JsonObject[])[1]?.id;
      const result = { type: 'tool_result', tool_use_id: id, content: 'Rain' };
      return { messages: [user('Hello'), { role: 'assistant', content }, user([result])] };
    },
  },
  google: {
    path: '/models/gemini-3.1-pro-preview:generateContent',
    headers: { 'x-goog-api-key': 'sk-1' },
    request: {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }],
    },
    continued({ candidates }) {
      const [{ content }] = candidates as [{ content: { parts: { functionCall: { id: string } }[] } }];
      const [{ functionCall }] = content.parts as [{ functionCall: { id: string } }];
      const functionResponse = { id: functionCall.id, name: 'weather', response: { output: 'Rain' } };
      const [first] = this.request.contents as JsonObject[];
      // The part that follows the call has no text.
      const parts = content.parts.slice(0, 1);
      return { contents: [first, { ...content, parts }, { role: 'user', parts: [{ functionResponse }] }] };
    },
  },
};

async function post({ path, headers }: Api, body: JsonObject) {
  const response = await fetch(`${upstream?.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text };
}

describe.each(Object.entries(apis))('The fake of %s', (provider, api) => {
  it.each([
    ['takes its signature back', (signature: string) => signature, 200],
    ['refuses another one', (signature: string) => `A${signature.slice(1)}`, 400],
  ] as const)('%s', async (_, change, status) => {
    upstream = await fakeProviders[provider]?.({ nextCompletion: () => turn });
    const first = await post(api, api.request);
    const text = first.text.replace(
      /("(?:signature|thoughtSignature)":\s*")([^"]+)/,
      (_match, start, signature) => start + change(signature),
    );

    const second = await post(api, {
      ...api.request,
      ...api.continued(parseJsonObject(text) ?? {}),
    });

    expect([first.status, second.status]).toEqual([200, status]);
    if (status === 400) expect(second.text).toMatch(/signature/i);
  });
});
