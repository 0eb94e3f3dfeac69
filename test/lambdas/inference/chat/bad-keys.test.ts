/** Whom the chat function lets in through its own URL, and what it does for the others: nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat-fixture.ts';

const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };
const key = generateApiKey();

let bench: ChatFixture;
beforeAll(async () => {
  bench = await startChatFixture();
});
afterAll(() => bench.stop());

/** A gateway whose reads are counted: of keys, and of the credentials of its providers. */
async function setUp() {
  const reads = { keys: 0, credentials: 0 };
  const directory = {
    findApiKeyByHash: async () => {
      reads.keys++;
      return apiKeyRecord();
    },
  };
  const { upstream, gateway } = await bench.setUp({
    services: { authenticate: createAuthenticate({ directory, now: () => new Date() }) },
    credentials: () => {
      reads.credentials++;
      return { openai: { api_key: 'sk-upstream' } };
    },
  });
  return { reads, upstream, gateway };
}

describe('a caller', () => {
  it('with a key in its header gets in, for one read of the key and one of the credentials', async () => {
    const { reads, gateway } = await setUp();
    const { status } = await gateway.post(request, { authorization: `Bearer ${key}` });
    expect([status, reads]).toEqual([200, { keys: 1, credentials: 1 }]);
  });

  it.each<[string, Record<string, string>]>([
    ['no key', { authorization: '' }],
    [
      'a key in another header',
      { authorization: '', 'x-api-key': key, 'api-key': key, cookie: `key=${key}` },
    ],
    ['a key under another scheme', { authorization: `Basic ${key}` }],
    ['two keys, as a Function URL joins two headers', { authorization: `Bearer ${key},Bearer ${key}` }],
    ['odd white space', { authorization: `Bearer\u00a0${key}` }],
    ['a letter too much', { authorization: `Bearer ${key}é` }],
    ['10 kB of a key', { authorization: `Bearer pt_live_${'a'.repeat(10_000)}` }],
  ])('with %s is answered 401, and nothing is read or logged', async (_case, headers) => {
    const { reads, upstream, gateway } = await setUp();
    const { status, text } = await gateway.post(request, headers);
    expect([status, JSON.parse(text).error.code]).toEqual([401, 'invalid_api_key']);
    expect(reads).toEqual({ keys: 0, credentials: 0 });
    expect([upstream.requests, gateway.lines, await gateway.entries()]).toEqual([[], [], []]);
  });
});
