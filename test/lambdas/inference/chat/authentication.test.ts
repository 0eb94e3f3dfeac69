import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { withoutCommonFields } from '#test/support/log-lines.ts';

const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };
const key = generateApiKey();

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

async function setUp() {
  const reads = { keys: 0, credentials: 0 };
  const apiKeys = {
    findApiKeyByHash: async () => {
      reads.keys++;
      return requestKey();
    },
  };
  const { upstream, gateway } = await fixture.setUp({
    dependencies: { authenticate: createAuthenticate({ apiKeys, now: () => new Date() }) },
    credentials: () => {
      reads.credentials++;
      return { openai: { api_key: 'sk-upstream' } };
    },
  });
  return { reads, upstream, gateway };
}

describe('Authentication', () => {
  it('accepts a valid key with one read of the key and one of the credentials', async () => {
    const { reads, gateway } = await setUp();
    const { status } = await gateway.post(request, { authorization: `Bearer ${key}` });
    expect([status, reads]).toEqual([200, { keys: 1, credentials: 1 }]);
  });

  it('accepts a valid key in x-api-key, and sends it to no provider', async () => {
    const { reads, gateway, upstream } = await setUp();
    const { status } = await gateway.post(request, { authorization: '', 'x-api-key': key });
    expect([status, reads]).toEqual([200, { keys: 1, credentials: 1 }]);
    expect(upstream.requests.map(({ headers }) => [headers.authorization, headers['x-api-key']])).toEqual([
      ['Bearer sk-upstream', undefined],
    ]);
  });

  it.each<[string, Record<string, string>]>([
    ['no key', { authorization: '' }],
    [
      'a key in another header',
      { authorization: '', 'x-goog-api-key': key, 'api-key': key, cookie: `key=${key}` },
    ],
    ['a key under another scheme', { authorization: `Basic ${key}` }],
    ['two keys, as a function URL joins two headers', { authorization: `Bearer ${key},Bearer ${key}` }],
    ['two keys in x-api-key', { authorization: '', 'x-api-key': `${key},${key}` }],
    ['another token and a key in x-api-key', { authorization: 'Bearer sk-other', 'x-api-key': key }],
    ['a non-breaking space', { authorization: `Bearer\u00a0${key}` }],
    ['a trailing character', { authorization: `Bearer ${key}é` }],
    ['a key of 10 kB', { authorization: `Bearer pt_live_${'a'.repeat(10_000)}` }],
  ])('returns 401 for %s without any read or log entry, and logs it', async (_case, headers) => {
    const { reads, upstream, gateway } = await setUp();
    const { status, text } = await gateway.post(request, headers);
    expect([status, JSON.parse(text).error.code]).toEqual([401, 'invalid_api_key']);
    expect(reads).toEqual({ keys: 0, credentials: 0 });
    expect([upstream.requests, await gateway.entries()]).toEqual([[], []]);
    expect(gateway.lines.map(withoutCommonFields)).toEqual([
      {
        level: 'INFO',
        event: 'key_rejected',
        reason: 'malformed',
        source_ip: '127.0.0.0/24',
        endpoint: '/ai/chat/completions',
        suppressed: 0,
        RejectedKeys: 1,
      },
    ]);
  });
});
