import { afterEach, describe, expect, it, vi } from 'vitest';
import * as apiKeys from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';

vi.mock('#lambdas/access/api-key.ts', { spy: true });
const { generateApiKey, hashApiKey } = apiKeys;
afterEach(() => {
  vi.clearAllMocks();
});

function setUp(stored: Partial<ApiKey> = {}) {
  const key = generateApiKey();
  const hash = hashApiKey(key);
  const state = { stored: apiKeyRecord(stored), nowMs: Date.UTC(2026, 0, 2), reads: 0 };
  const authenticate = createAuthenticate({
    now: () => new Date(state.nowMs),
    directory: {
      findApiKeyByHash: async (asked) => {
        state.reads++;
        return asked === hash ? state.stored : null;
      },
    },
  });
  vi.clearAllMocks();
  return { key, state, authenticate };
}

const refused = expect.objectContaining({
  code: 'invalid_api_key',
  status: 401,
  message: 'The API key is missing or not valid: send a live key as "Authorization: Bearer pt_live_…"',
  headers: { 'www-authenticate': 'Bearer' },
});

describe('authentication', () => {
  it('knows the holder of a live key', async () => {
    const { key, authenticate, state } = setUp();
    expect(await authenticate(`Bearer ${key}`)).toEqual(state.stored);
  });

  it('takes the scheme in any case, and more than one space behind it, as HTTP does', async () => {
    const { key, authenticate, state } = setUp();
    expect(await authenticate(`bearer ${key}`)).toEqual(state.stored);
    expect(await authenticate(`BEARER   ${key}`)).toEqual(state.stored);
  });

  it('begins other work before it looks the key up', async () => {
    const { key, authenticate, state } = setUp();
    const readsBefore: number[] = [];
    await authenticate(`Bearer ${key}`, () => readsBefore.push(state.reads));
    expect([readsBefore, state.reads]).toEqual([[0], 1]);
  });

  it('refuses a key from the second in which it expires, cached or not', async () => {
    const expires_at = '2026-01-02T00:00:10.000Z';
    const { key, authenticate, state } = setUp({ expires_at });
    state.nowMs += 9999;
    expect(await authenticate(`Bearer ${key}`)).toEqual(state.stored);
    state.nowMs += 1;
    await expect(authenticate(`Bearer ${key}`)).rejects.toEqual(refused);
    const { key: other, authenticate: coldStart, state: later } = setUp({ expires_at });
    later.nowMs += 10_000;
    await expect(coldStart(`Bearer ${other}`)).rejects.toEqual(refused);
  });

  it('refuses every key in the same words', async () => {
    const { key, authenticate } = setUp({ revoked_at: '2026-01-01T00:00:00.000Z' });
    for (const header of [undefined, `Bearer ${generateApiKey()}`, `Bearer ${key}`]) {
      await expect(authenticate(header)).rejects.toEqual(refused);
    }
  });

  it.each([
    ['live', {}],
    ['revoked', { revoked_at: '2026-01-01T00:00:00.000Z' }],
    ['expired', { expires_at: '2026-01-01T00:00:00.000Z' }],
    ['unknown', null],
  ])('hashes and reads a key that is %s once', async (_case, stored) => {
    const { key, authenticate, state } = setUp(stored ?? {});
    const sent = stored === null ? generateApiKey() : key;
    vi.clearAllMocks();
    await authenticate(`Bearer ${sent}`).catch(() => {});
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
    ['the key twice, as two headers are joined', `Bearer ${key}, Bearer ${key}`],
    ['the key twice, joined without a space', `Bearer ${key},Bearer ${key}`],
    ['two keys', `Bearer ${key} ${key}`],
    ['a space before', ` Bearer ${key}`],
    ['a space behind', `Bearer ${key} `],
    ['no space', `Bearer${key}`],
    ['a tab', `Bearer\t${key}`],
    ['a space and a tab', `Bearer \t${key}`],
    ['a line break', `Bearer\n${key}`],
    ['a line break behind', `Bearer ${key}\n`],
    ['a carriage return and more', `Bearer ${key}\r\nX-Forged: 1`],
    ['a no-break space', `Bearer\u00a0${key}`],
    ['an ideographic space', `Bearer\u3000${key}`],
    ['a zero-width space', `Bearer \u200b${key}`],
    ['a byte order mark', `\ufeffBearer ${key}`],
    ['a null character', `Bearer ${key}\0`],
    ['a letter beyond ASCII', `Bearer ${key.slice(0, -1)}é`],
    ['a letter that looks like one of ours', `Bearer ${key.slice(0, -1)}а`],
    ['digits of another script', `Bearer ${key.slice(0, -1)}٣`],
    ['full-width letters', `Bearer ${key.slice(0, -1)}ａ`],
    ['half a surrogate pair', `Bearer ${key}\ud800`],
    ['the prefix in upper case', `Bearer ${key.toUpperCase()}`],
    ['another prefix', `Bearer sk_live_${'a'.repeat(32)}`],
    ['a key that is too short', `Bearer ${key.slice(0, -1)}`],
    ['a key that is too long', `Bearer ${key}a`],
    ['10 kB of key', `Bearer pt_live_${'a'.repeat(10_000)}`],
    ['10 kB of spaces', `Bearer ${' '.repeat(10_000)}${key}`],
    ['1 MB', 'B'.repeat(1_000_000)],
    ['a hash instead of the key', `Bearer ${'0'.repeat(64)}`],
    ['JSON', `Bearer {"key":"${key}"}`],
    ['a name of every object', 'Bearer __proto__'],
  ])('hashes and reads nothing for %s', async (_case, header) => {
    const { authenticate, state } = setUp();
    const meanwhile = vi.fn();
    await expect(authenticate(header, meanwhile)).rejects.toEqual(refused);
    expect(meanwhile).not.toHaveBeenCalled();
    expect(hashApiKey).not.toHaveBeenCalled();
    expect(state.reads).toBe(0);
  });
});
