import { describe, expect, it } from 'vitest';
import { generateApiKey, hashApiKey } from '../../../../lambdas/shared/domain/api-key.ts';
import type { ApiKey } from '../../../../lambdas/shared/domain/directory.ts';
import { createAuthenticate } from '../../../../lambdas/shared/http/authenticate.ts';
import { apiKeyRecord } from '../../../support/api-keys.ts';

function setUp(stored: Partial<ApiKey> = {}) {
  const key = generateApiKey();
  const state = { stored: apiKeyRecord(stored), nowMs: Date.UTC(2026, 0, 2), lookups: 0 };
  const authenticate = createAuthenticate({
    now: () => new Date(state.nowMs),
    directory: {
      findApiKeyByHash: async (hash) => {
        state.lookups++;
        return hash === hashApiKey(key) ? state.stored : null;
      },
    },
  });
  return { key, state, authenticate };
}

const refused = expect.objectContaining({ code: 'invalid_api_key', status: 401 });

describe('authentication', () => {
  it('knows the holder of a live key', async () => {
    const { key, authenticate, state } = setUp();
    expect(await authenticate(`Bearer ${key}`)).toEqual(state.stored);
    expect(await authenticate(`bearer  ${key}`)).toEqual(state.stored);
  });

  it('looks a key up once in 20 seconds, and so notices a revocation within 30', async () => {
    const { key, authenticate, state } = setUp();
    await authenticate(`Bearer ${key}`);
    state.stored = { ...state.stored, revoked_at: '2026-01-02T00:00:00.000Z' };
    state.nowMs += 19_999;
    await authenticate(`Bearer ${key}`);
    expect(state.lookups).toBe(1);
    state.nowMs += 1;
    await expect(authenticate(`Bearer ${key}`)).rejects.toEqual(refused);
  });

  it('refuses a key from the second in which it expires, cached or not', async () => {
    const { key, authenticate, state } = setUp({ expires_at: '2026-01-02T00:00:10.000Z' });
    await authenticate(`Bearer ${key}`);
    state.nowMs += 10_000;
    await expect(authenticate(`Bearer ${key}`)).rejects.toEqual(refused);
  });

  it('refuses an unknown key in the same words as a missing one', async () => {
    const { authenticate } = setUp();
    const messages = await Promise.all(
      [undefined, `Bearer ${generateApiKey()}`].map((header) =>
        authenticate(header).catch((error: unknown) => (error instanceof Error ? error.message : '')),
      ),
    );
    expect(messages[0]).toBe(messages[1]);
  });

  it('does not ask the table for what cannot be a key', async () => {
    const { key, authenticate, state } = setUp();
    const headers = [
      undefined,
      '',
      key,
      `Basic ${key}`,
      `Bearer ${key} `,
      `Bearer ${key}, Bearer ${key}`,
      `Bearer ${key}é`,
      `Bearer pt_live_${'a'.repeat(10_000)}`,
      'Bearer',
    ];
    for (const header of headers) await expect(authenticate(header)).rejects.toEqual(refused);
    expect(state.lookups).toBe(0);
  });
});
