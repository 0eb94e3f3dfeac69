/** The id of a response as its caller sees it, which finds the log entry of its request. */
import { describe, expect, it } from 'vitest';
import type { HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { createFuzzGateway } from '#test/fuzz/gateway.ts';
import { validProvider } from '#test/fuzz/valid-provider.ts';
import { functionUrlEvent } from '#test/support/chat/handler-fixture.ts';
import { readChunks } from '#test/support/http/read-chunks.ts';
import { eventData } from '#test/support/providers/sse-events.ts';

const gateway = createFuzzGateway();
const messages = [{ role: 'user', content: 'Say hello' }];

const requests = {
  'chat/completions': { messages },
  messages: { messages, max_tokens: 100 },
  responses: { input: 'Say hello', store: false },
};
type Operation = keyof typeof requests;

async function send(path: string, body: object, transport: HttpTransport) {
  const headers = { authorization: `Bearer ${gateway.apiKey}` };
  const event = { ...functionUrlEvent, rawPath: `/ai/${path}`, headers, body: JSON.stringify(body) };
  const { status, text, entries } = await gateway.send(event, transport);
  const [entry] = entries;
  return { status, text, entry: entry ?? expect.fail(), requestId: entry?.id };
}

/** The first event of a stream has it in the format of the operation. */
function idIn(text: string, stream: boolean): unknown {
  const first: JsonObject = parseJsonObject(stream ? (eventData(text)[0] ?? '') : text) ?? expect.fail();
  const { message, response } = first;
  return [message, response, first].find(isJsonObject)?.id;
}

const respondWith =
  (status: number, body: unknown): HttpTransport =>
  async () => ({
    status,
    headers: { 'content-type': 'application/json' },
    read: readChunks([Buffer.from(JSON.stringify(body))]),
  });

describe('The entry of a request', () => {
  const isNative = (operation: Operation, provider: string) =>
    operation === 'responses' && provider === 'openai';
  const cases = (Object.keys(requests) as Operation[]).flatMap((operation) =>
    ['openai', 'anthropic', 'google', 'bedrock']
      .filter((provider) => !isNative(operation, provider))
      .flatMap((provider) => [false, true].map((stream) => [operation, provider, stream] as const)),
  );
  it.each(cases)(
    'has the id of the response of %s by %s with stream %s',
    async (operation, provider, stream) => {
      const body = { ...requests[operation], model: `${provider}/m`, stream };

      const { status, text, entry, requestId } = await send(operation, body, validProvider);

      const id = idIn(text, stream);
      expect([status, typeof id]).toEqual([200, 'string']);
      expect(entry.response_id).toBe(id);
      if (operation === 'chat/completions' && provider === 'openai') expect(id).toBe('chatcmpl-1');
      if (operation === 'messages') expect(id).toBe(provider === 'anthropic' ? 'msg_1' : `msg_${requestId}`);
      if (operation === 'responses') expect(id).toBe(`resp_gateway_${requestId}`);
    },
  );

  const embeddings = { model: 'mistral/m', input: 'Hello' };
  const list = { object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [1] }] };
  const usage = { prompt_tokens: 1, total_tokens: 1 };

  it('has the id of a list of embeddings, if the provider gives it one', async () => {
    const withId = await send('embeddings', embeddings, respondWith(200, { id: 'emb-1', ...list, usage }));
    const without = await send('embeddings', embeddings, respondWith(200, { ...list, usage }));

    expect(JSON.parse(withId.text).id).toBe('emb-1');
    expect([withId.entry.response_id, without.entry.response_id]).toEqual(['emb-1', null]);
  });

  it('has no id of a response instead of which the caller has got an error', async () => {
    const body = { ...requests['chat/completions'], model: 'openai/m' };
    const truncated = { id: 'chatcmpl-1', object: 'chat.completion', model: 'm', choices: [] };

    const results = [
      await send('chat/completions', body, respondWith(200, truncated)),
      await send(
        'chat/completions',
        body,
        respondWith(500, { id: 'chatcmpl-1', error: { message: 'Failed' } }),
      ),
      await send('chat/completions', { ...body, model: 'm' }, respondWith(200, truncated)),
    ];

    expect(results.map(({ status, entry }) => [status, entry.response_id])).toEqual([
      [502, null],
      [502, null],
      [400, null],
    ]);
  });
});
