import { describe, expect, it } from 'vitest';
import type { RequestKey } from '#lambdas/access/directory.ts';
import { createApiKeyLookup } from '#lambdas/access/key-lookup.ts';
import { requestKey } from '#test/support/api-keys.ts';

const startMs = Date.UTC(2026, 0, 2);

/** Records the reads of the directory. Slow reads end when `finishReads` is called. */
function setUp(stored: Record<string, RequestKey> = {}) {
  const reads: string[] = [];
  const pending: (() => void)[] = [];
  const state = { nowMs: startMs, isSlow: false, fails: false, stored: new Map(Object.entries(stored)) };
  const lookUp = createApiKeyLookup({
    now: () => new Date(state.nowMs),
    apiKeys: {
      async findApiKeyByHash(hash) {
        reads.push(hash);
        const found = state.stored.get(hash) ?? null;
        if (state.isSlow) await new Promise<void>((resolve) => pending.push(resolve));
        if (state.fails) throw new Error('The table is unavailable');
        return found;
      },
    },
  });
  const finishReads = () => {
    for (const resolve of pending.splice(0)) resolve();
  };
  return { reads, state, lookUp, finishReads };
}

describe('Active keys', () => {
  it('caches an active key for 20 seconds', async () => {
    const apiKey = requestKey();
    const { reads, state, lookUp } = setUp({ a: apiKey });
    expect(await lookUp('a')).toBe(apiKey);
    state.stored.set('a', { ...apiKey, revoked_at: '2026-01-02T00:00:00.000Z' });
    state.nowMs += 19_999;
    expect(await lookUp('a')).toBe(apiKey);
    expect(reads).toEqual(['a']);
    state.nowMs += 1;
    expect(await lookUp('a')).toBe('revoked');
    expect(reads).toEqual(['a', 'a']);
  });

  it('caches a key from the start of its read, not from its end', async () => {
    const apiKey = requestKey();
    const { reads, state, lookUp, finishReads } = setUp({ a: apiKey });
    state.isSlow = true;
    const first = lookUp('a');
    state.nowMs += 5000;
    finishReads();
    expect(await first).toBe(apiKey);
    state.isSlow = false;
    state.nowMs = startMs + 20_000;
    await lookUp('a');
    expect(reads).toEqual(['a', 'a']);
  });
});

describe('Rejected keys', () => {
  const revoked = requestKey({ revoked_at: '2026-01-01T00:00:00.000Z' });
  const expired = requestKey({ expires_at: '2026-01-01T00:00:00.000Z' });

  it.each(['unknown', 'revoked', 'expired'])(
    'returns and caches the rejection of a key for 3 seconds when it is %s',
    async (reason) => {
      const { reads, state, lookUp } = setUp({ revoked, expired });
      expect(await lookUp(reason)).toBe(reason);
      state.nowMs += 2999;
      expect(await lookUp(reason)).toBe(reason);
      expect(reads).toEqual([reason]);
      state.nowMs += 1;
      expect(await lookUp(reason)).toBe(reason);
      expect(reads).toEqual([reason, reason]);
    },
  );

  it('accepts a new key 3 seconds after a lookup that did not find it', async () => {
    const { state, lookUp } = setUp();
    await lookUp('a');
    const apiKey = requestKey();
    state.stored.set('a', apiKey);
    state.nowMs += 3000;
    expect(await lookUp('a')).toBe(apiKey);
  });
});

describe('Concurrent lookups', () => {
  it('shares one read among concurrent lookups of a hash, whether the key is found or not', async () => {
    const apiKey = requestKey();
    const { reads, state, lookUp, finishReads } = setUp({ a: apiKey });
    state.isSlow = true;
    const results = Promise.all(['a', 'a', 'none', 'a', 'none'].map(lookUp));
    finishReads();
    expect(await results).toEqual([apiKey, apiKey, 'unknown', apiKey, 'unknown']);
    expect(reads).toEqual(['a', 'none']);
  });

  it('shares a read error among concurrent lookups and does not cache it', async () => {
    const apiKey = requestKey();
    const { reads, state, lookUp, finishReads } = setUp({ a: apiKey });
    Object.assign(state, { isSlow: true, fails: true });
    const results = Promise.allSettled([lookUp('a'), lookUp('a')]);
    finishReads();
    const reason = new Error('The table is unavailable');
    expect(await results).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    Object.assign(state, { isSlow: false, fails: false });
    expect(await lookUp('a')).toBe(apiKey);
    expect(reads).toEqual(['a', 'a']);
  });
});

describe('Cache size', () => {
  const hashes = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${kind}${index}`);
  const countReads = async (fixture: ReturnType<typeof setUp>, hash: string) => {
    fixture.reads.length = 0;
    await fixture.lookUp(hash);
    return fixture.reads.length;
  };

  it.each(['active', 'unknown'])('caches 10,000 %s keys and evicts the oldest first', async (kind) => {
    const names = hashes(kind, 10_001);
    const fixture = setUp(
      kind === 'active' ? Object.fromEntries(names.map((name) => [name, requestKey()])) : {},
    );
    for (const name of names.slice(0, 10_000)) await fixture.lookUp(name);
    expect(await countReads(fixture, `${kind}0`)).toBe(0);
    await fixture.lookUp(`${kind}10000`);
    expect(await countReads(fixture, `${kind}1`)).toBe(0);
    expect(await countReads(fixture, `${kind}10000`)).toBe(0);
    expect(await countReads(fixture, `${kind}0`)).toBe(1);
  });

  it('keeps an active key during a flood of unknown keys', async () => {
    const fixture = setUp({ active: requestKey() });
    await fixture.lookUp('active');
    for (const name of hashes('unknown', 20_000)) await fixture.lookUp(name);
    expect(await countReads(fixture, 'active')).toBe(0);
  });

  it('evicts keys in the order of their latest reads', async () => {
    const fixture = setUp();
    await fixture.lookUp('unknown0');
    await fixture.lookUp('unknown1');
    fixture.state.nowMs += 3000;
    await fixture.lookUp('unknown0');
    for (const name of hashes('other', 9999)) await fixture.lookUp(name);
    expect(await countReads(fixture, 'unknown0')).toBe(0);
  });
});
