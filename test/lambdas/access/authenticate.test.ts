import { afterEach, describe, expect, it, vi } from 'vitest';
import * as apiKeys from '#lambdas/access/api-key.ts';
import { createAuthenticate, type RejectedKeyError } from '#lambdas/access/authenticate.ts';
import type { RequestKey } from '#lambdas/access/directory.ts';
import { requestKey } from '#test/support/api-keys.ts';

vi.mock('#lambdas/access/api-key.ts', { spy: true });
const { generateApiKey, hashApiKey } = apiKeys;
afterEach(() => {
  vi.clearAllMocks();
});

function setUp(stored: Partial<RequestKey> = {}) {
  const key = generateApiKey();
  const hash = hashApiKey(key);
  const state = { stored: requestKey(stored), nowMs: Date.UTC(2026, 0, 2), reads: 0 };
  const authenticate = createAuthenticate({
    now: () => new Date(state.nowMs),
    apiKeys: {
      findApiKeyByHash: async (requested) => {
        state.reads++;
        return requested === hash ? state.stored : null;
      },
    },
  });
  vi.clearAllMocks();
  return { key, state, authenticate };
}

/** The response is the same for every reason. */
const rejectedKey = (reason: RejectedKeyError['reason']) =>
  expect.objectContaining({
    code: 'invalid_api_key',
    status: 401,
    message:
      'The API key is missing or not valid: send an active key as "Authorization: Bearer pt_live_…" or "x-api-key: pt_live_…"',
    headers: { 'www-authenticate': 'Bearer' },
    reason,
  });

describe('createAuthenticate', () => {
  it('returns the record of an active key', async () => {
    const { key, authenticate, state } = setUp();
    expect(await authenticate({ authorization: `Bearer ${key}` })).toEqual(state.stored);
  });

  it('accepts the scheme in any case and more than one space after it, as HTTP does', async () => {
    const { key, authenticate, state } = setUp();
    expect(await authenticate({ authorization: `bearer ${key}` })).toEqual(state.stored);
    expect(await authenticate({ authorization: `BEARER   ${key}` })).toEqual(state.stored);
  });

  it.each([
    ['the header Authorization is missing', undefined],
    ['the header Authorization is empty', ''],
    ['the bearer token is missing', 'Bearer'],
    ['the bearer token is empty', 'Bearer  '],
    ['Authorization has another scheme', 'Basic YWRhOnNlY3JldA=='],
    ['Authorization has a signature', `AWS4-HMAC-SHA256 Credential=${'a'.repeat(200)}`],
  ])('accepts the key in x-api-key if %s', async (_case, authorization) => {
    const { key, authenticate, state } = setUp();
    expect(await authenticate({ authorization, 'x-api-key': key })).toEqual(state.stored);
  });

  it('ignores x-api-key if there is a bearer token, whatever the token is', async () => {
    const { key, authenticate, state } = setUp();
    const other = generateApiKey();
    expect(await authenticate({ authorization: `Bearer ${key}`, 'x-api-key': other })).toEqual(state.stored);
    const unknown = authenticate({ authorization: `Bearer ${other}`, 'x-api-key': key });
    await expect(unknown).rejects.toEqual(rejectedKey('unknown'));
    for (const token of ['sk-other', `${key},${key}`, 'a'.repeat(10_000)]) {
      const malformed = authenticate({ authorization: `Bearer ${token}`, 'x-api-key': key });
      await expect(malformed).rejects.toEqual(rejectedKey('malformed'));
    }
    expect(state.reads).toBe(2);
  });

  it('calls onLookup before it looks the key up', async () => {
    const { key, authenticate, state } = setUp();
    const readsBefore: number[] = [];
    await authenticate({ authorization: `Bearer ${key}` }, () => readsBefore.push(state.reads));
    expect([readsBefore, state.reads]).toEqual([[0], 1]);
  });

  it('returns 401 from the moment the key expires, with and without a cached key', async () => {
    const expires_at = '2026-01-02T00:00:10.000Z';
    const { key, authenticate, state } = setUp({ expires_at });
    state.nowMs += 9999;
    expect(await authenticate({ authorization: `Bearer ${key}` })).toEqual(state.stored);
    state.nowMs += 1;
    await expect(authenticate({ authorization: `Bearer ${key}` })).rejects.toEqual(rejectedKey('expired'));
    const { key: other, authenticate: coldStart, state: later } = setUp({ expires_at });
    later.nowMs += 10_000;
    await expect(coldStart({ authorization: `Bearer ${other}` })).rejects.toEqual(rejectedKey('expired'));
  });

  it('returns the same 401 for missing, unknown and revoked keys, with the reason for the log', async () => {
    const { key, authenticate } = setUp({ revoked_at: '2026-01-01T00:00:00.000Z' });
    const headers = [
      ['missing', undefined],
      ['unknown', `Bearer ${generateApiKey()}`],
      ['revoked', `Bearer ${key}`],
    ] as const;
    for (const [reason, header] of headers) {
      await expect(authenticate({ authorization: header })).rejects.toEqual(rejectedKey(reason));
    }
  });

  it.each([
    ['active', {}],
    ['revoked', { revoked_at: '2026-01-01T00:00:00.000Z' }],
    ['expired', { expires_at: '2026-01-01T00:00:00.000Z' }],
    ['unknown', null],
  ])('hashes and reads a key once when it is %s', async (_case, stored) => {
    const { key, authenticate, state } = setUp(stored ?? {});
    const sent = stored === null ? generateApiKey() : key;
    vi.clearAllMocks();
    await authenticate({ authorization: `Bearer ${sent}` }).catch(() => {});
    expect(hashApiKey).toHaveBeenCalledTimes(1);
    expect(state.reads).toBe(1);
  });

  const key = `pt_live_${'a'.repeat(32)}`;
  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['the key alone', key],
    ['the scheme alone', 'Bearer'],
    ['the scheme and a space', 'Bearer '],
    ['another scheme', `Basic ${key}`],
    ['basic authentication with the key as user', `Basic ${Buffer.from(`${key}:`).toString('base64')}`],
    ['two schemes', `Bearer Bearer ${key}`],
    ['a parameter', `Bearer token=${key}`],
    ['quotes', `Bearer "${key}"`],
    ['the key twice, joined as HTTP joins two headers', `Bearer ${key}, Bearer ${key}`],
    ['the key twice, joined without a space', `Bearer ${key},Bearer ${key}`],
    ['two keys', `Bearer ${key} ${key}`],
    ['a leading space', ` Bearer ${key}`],
    ['a trailing space', `Bearer ${key} `],
    ['no space', `Bearer${key}`],
    ['a tab', `Bearer\t${key}`],
    ['a space and a tab', `Bearer \t${key}`],
    ['a line break', `Bearer\n${key}`],
    ['a trailing line break', `Bearer ${key}\n`],
    ['a carriage return and more', `Bearer ${key}\r\nX-Forged: 1`],
    ['a no-break space', `Bearer\u00a0${key}`],
    ['an ideographic space', `Bearer\u3000${key}`],
    ['a zero-width space', `Bearer \u200b${key}`],
    ['a byte order mark', `\ufeffBearer ${key}`],
    ['a null character', `Bearer ${key}\0`],
    ['a letter outside ASCII', `Bearer ${key.slice(0, -1)}é`],
    ['a Cyrillic letter that looks like a Latin one', `Bearer ${key.slice(0, -1)}а`],
    ['digits of another script', `Bearer ${key.slice(0, -1)}٣`],
    ['full-width letters', `Bearer ${key.slice(0, -1)}ａ`],
    ['a lone surrogate', `Bearer ${key}\ud800`],
    ['the prefix in upper case', `Bearer ${key.toUpperCase()}`],
    ['another prefix', `Bearer sk_live_${'a'.repeat(32)}`],
    ['a key that is too short', `Bearer ${key.slice(0, -1)}`],
    ['a key that is too long', `Bearer ${key}a`],
    ['a key of 10 kB', `Bearer pt_live_${'a'.repeat(10_000)}`],
    ['10 kB of spaces', `Bearer ${' '.repeat(10_000)}${key}`],
    ['a header of 1 MB', 'B'.repeat(1_000_000)],
    ['a hash instead of the key', `Bearer ${'0'.repeat(64)}`],
    ['JSON', `Bearer {"key":"${key}"}`],
    ['the name of an inherited object property', 'Bearer __proto__'],
  ])('returns 401 without hashing or reading anything for %s', async (_case, header) => {
    const { authenticate, state } = setUp();
    const onLookup = vi.fn();
    const reason = header === undefined ? 'missing' : 'malformed';
    await expect(authenticate({ authorization: header }, onLookup)).rejects.toEqual(rejectedKey(reason));
    expect(onLookup).not.toHaveBeenCalled();
    expect(hashApiKey).not.toHaveBeenCalled();
    expect(state.reads).toBe(0);
  });

  it.each([
    ['another prefix', `sk-ant-${'a'.repeat(32)}`],
    ['the scheme and the key', `Bearer ${key}`],
    ['the key twice, joined as HTTP joins two headers', `${key}, ${key}`],
    ['the key twice, joined without a space', `${key},${key}`],
    ['a leading space', ` ${key}`],
    ['a trailing line break', `${key}\n`],
    ['a letter outside ASCII', `${key.slice(0, -1)}é`],
    ['a key that is too long', `${key}a`],
    ['a key of 1 MB', `pt_live_${'a'.repeat(1_000_000)}`],
  ])('returns 401 without hashing or reading anything for %s in x-api-key', async (_case, header) => {
    const { authenticate, state } = setUp();
    const onLookup = vi.fn();
    const rejected = authenticate({ 'x-api-key': header }, onLookup);
    await expect(rejected).rejects.toEqual(rejectedKey('malformed'));
    expect([onLookup.mock.calls, vi.mocked(hashApiKey).mock.calls, state.reads]).toEqual([[], [], 0]);
  });

  it('tells a missing key from a malformed one if both headers are empty', async () => {
    const { authenticate } = setUp();
    await expect(authenticate({ 'x-api-key': '' })).rejects.toEqual(rejectedKey('missing'));
    const empty = authenticate({ authorization: '', 'x-api-key': '' });
    await expect(empty).rejects.toEqual(rejectedKey('malformed'));
  });
});
