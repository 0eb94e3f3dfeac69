import { describe, expect, it } from 'vitest';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { createApiKeyLookup } from '#lambdas/access/key-lookup.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';

const beginMs = Date.UTC(2026, 0, 2);

/** A directory of hashes, whose reads are counted, and answered when the test says so. */
function setUp(stored: Record<string, ApiKey> = {}) {
  const reads: string[] = [];
  const waiting: (() => void)[] = [];
  const state = { nowMs: beginMs, isSlow: false, fails: false, stored: new Map(Object.entries(stored)) };
  const lookUp = createApiKeyLookup({
    now: () => new Date(state.nowMs),
    directory: {
      async findApiKeyByHash(hash) {
        reads.push(hash);
        const found = state.stored.get(hash) ?? null;
        if (state.isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
        if (state.fails) throw new Error('The table is away');
        return found;
      },
    },
  });
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { reads, state, lookUp, answer };
}

describe('a look-up of a live key', () => {
  it('is good for 20 seconds from its read on', async () => {
    const apiKey = apiKeyRecord();
    const { reads, state, lookUp } = setUp({ a: apiKey });
    expect(await lookUp('a')).toBe(apiKey);
    state.stored.set('a', { ...apiKey, revoked_at: '2026-01-02T00:00:00.000Z' });
    state.nowMs += 19_999;
    expect(await lookUp('a')).toBe(apiKey);
    expect(reads).toEqual(['a']);
    state.nowMs += 1;
    expect(await lookUp('a')).toBeNull();
    expect(reads).toEqual(['a', 'a']);
  });

  it('counts from where the read began, not from when it was answered', async () => {
    const apiKey = apiKeyRecord();
    const { reads, state, lookUp, answer } = setUp({ a: apiKey });
    state.isSlow = true;
    const first = lookUp('a');
    state.nowMs += 5000;
    answer();
    expect(await first).toBe(apiKey);
    state.isSlow = false;
    state.nowMs = beginMs + 20_000;
    await lookUp('a');
    expect(reads).toEqual(['a', 'a']);
  });
});

describe('a look-up of a key that is refused', () => {
  const revoked = apiKeyRecord({ revoked_at: '2026-01-01T00:00:00.000Z' });
  const expired = apiKeyRecord({ expires_at: '2026-01-01T00:00:00.000Z' });

  it.each(['unknown', 'revoked', 'expired'])(
    'is good for 3 seconds, alike for one that is %s',
    async (hash) => {
      const { reads, state, lookUp } = setUp({ revoked, expired });
      expect(await lookUp(hash)).toBeNull();
      state.nowMs += 2999;
      expect(await lookUp(hash)).toBeNull();
      expect(reads).toEqual([hash]);
      state.nowMs += 1;
      expect(await lookUp(hash)).toBeNull();
      expect(reads).toEqual([hash, hash]);
    },
  );

  it('gives way to the key once it is there', async () => {
    const { state, lookUp } = setUp();
    await lookUp('a');
    const apiKey = apiKeyRecord();
    state.stored.set('a', apiKey);
    state.nowMs += 3000;
    expect(await lookUp('a')).toBe(apiKey);
  });
});

describe('look-ups at once', () => {
  it('of one hash share one read, found or not', async () => {
    const apiKey = apiKeyRecord();
    const { reads, state, lookUp, answer } = setUp({ a: apiKey });
    state.isSlow = true;
    const asked = Promise.all(['a', 'a', 'none', 'a', 'none'].map(lookUp));
    answer();
    expect(await asked).toEqual([apiKey, apiKey, null, apiKey, null]);
    expect(reads).toEqual(['a', 'none']);
  });

  it('share a failure, which is not kept', async () => {
    const apiKey = apiKeyRecord();
    const { reads, state, lookUp, answer } = setUp({ a: apiKey });
    Object.assign(state, { isSlow: true, fails: true });
    const asked = Promise.allSettled([lookUp('a'), lookUp('a')]);
    answer();
    const reason = new Error('The table is away');
    expect(await asked).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    Object.assign(state, { isSlow: false, fails: false });
    expect(await lookUp('a')).toBe(apiKey);
    expect(reads).toEqual(['a', 'a']);
  });
});

describe('10,000 answers of each kind', () => {
  const hashes = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${kind}${index}`);
  const readsOf = async (set: ReturnType<typeof setUp>, hash: string) => {
    set.reads.length = 0;
    await set.lookUp(hash);
    return set.reads.length;
  };

  it.each(['live', 'unknown'])('are kept of %s keys, and the oldest gives way to one more', async (kind) => {
    const names = hashes(kind, 10_001);
    const set = setUp(kind === 'live' ? Object.fromEntries(names.map((name) => [name, apiKeyRecord()])) : {});
    for (const name of names.slice(0, 10_000)) await set.lookUp(name);
    expect(await readsOf(set, `${kind}0`)).toBe(0);
    await set.lookUp(`${kind}10000`);
    expect(await readsOf(set, `${kind}1`)).toBe(0);
    expect(await readsOf(set, `${kind}10000`)).toBe(0);
    expect(await readsOf(set, `${kind}0`)).toBe(1);
  });

  it('do not forget a live key for a flood of unknown ones', async () => {
    const set = setUp({ good: apiKeyRecord() });
    await set.lookUp('good');
    for (const name of hashes('bad', 20_000)) await set.lookUp(name);
    expect(await readsOf(set, 'good')).toBe(0);
  });

  it('let the one that was read anew last be the last to go', async () => {
    const set = setUp();
    await set.lookUp('bad0');
    await set.lookUp('bad1');
    set.state.nowMs += 3000;
    await set.lookUp('bad0');
    for (const name of hashes('other', 9999)) await set.lookUp(name);
    expect(await readsOf(set, 'bad0')).toBe(0);
  });
});
