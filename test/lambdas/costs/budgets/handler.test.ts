import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { restartPendingChange } from '#lambdas/limits/budgets/pending-changes.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { fc } from '#test/support/fast-check.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';
import { byTestForm } from '#test/support/test-form.ts';
import {
  createSimulatedEventSource,
  type Kill,
  type SimulatedEventSource,
} from './support/simulated-event-source.ts';

let database: EmbeddedDynamoDB;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());

const ofOrganization = (organizationId: string): BudgetScope => ({ organizationId, keyId: null });
const broken = ofOrganization('org_broken');
const good = ofOrganization('org_good');
const ofKey: BudgetScope = { organizationId: 'org_good', keyId: 'key_1' };
const timeMs = 10_000;
const retryAttempts = 2;

interface Behaviour {
  fails: Set<BudgetScope>;
  /** When the rollups have counted everything, in milliseconds after the start. */
  countedAfterMs: Map<BudgetScope, number>;
}

class AmountError extends Error {}

async function createSource({ fails = new Set(), countedAfterMs = new Map() }: Partial<Behaviour> = {}) {
  let startMs = 0;
  const keysOf = (scopes: Iterable<BudgetScope>) => new Set([...scopes].map((scope) => counterKey(scope)));
  const source: SimulatedEventSource = await createSimulatedEventSource(database, {
    timeMs,
    retryAttempts,
    async apply(scope, wait) {
      const counted = [...countedAfterMs].find(([each]) => counterKey(each) === counterKey(scope));
      while (source.clock.nowMs < startMs + (counted?.[1] ?? 0)) await wait(1000);
      if (keysOf(fails).has(counterKey(scope))) throw new AmountError('a secret amount');
    },
  });
  startMs = source.clock.nowMs;
  return source;
}

describe('A change that fails', () => {
  it('does not keep others from being applied, is attempted once, and makes the invocation fail', async () => {
    const lines = recordLogLines();
    const source = await createSource({ fails: new Set([broken]) });
    for (const scope of [broken, good, ofKey]) await source.change(scope);

    await source.invoke();

    expect(source.invocations).toMatchObject([{ outcome: 'failed' }]);
    expect(source.invocations[0]?.attempted.toSorted()).toEqual(
      [broken, good, ofKey].map((s) => counterKey(s)),
    );
    expect(await source.pending()).toEqual([counterKey(broken)]);
    expect(source.records).toEqual([broken, good, ofKey]);
    expect(lines).toEqual([
      {
        level: 'ERROR',
        event: 'budget_change_failed',
        error: 'Error',
        code: null,
        organization_id: 'org_broken',
        api_key_id: null,
        pending_since: '2026-11-23T12:00:00.000Z',
        at: expect.stringMatching(/^handler\.test\.ts:\d+:\d+$/),
      },
    ]);
  });

  it('is discarded after the retries, and from then on fails no invocation for other changes', async () => {
    recordLogLines();
    const source = await createSource({ fails: new Set([broken]) });
    await source.change(broken);
    await source.drain();
    expect(source.discarded).toEqual([[broken]]);
    await source.change(good);

    await source.drain();

    const outcomes = source.invocations.map(({ outcome }) => outcome);
    expect(outcomes).toEqual([...Array(1 + retryAttempts).fill('failed'), 'succeeded']);
    expect(await source.pending()).toEqual([counterKey(broken)]);
    expect(source.discarded).toHaveLength(1);
  });

  it('is attempted again with the records of others, when the cause may be gone', async () => {
    recordLogLines();
    const fails = new Set([broken]);
    const source = await createSource({ fails });
    await source.change(broken);
    await source.drain();
    fails.clear();
    await source.change(good);

    await source.drain();

    expect(await source.pending()).toEqual([]);
    expect(source.progress(broken)).toEqual({ changed: 1, applied: 1 });
  });

  it('is attempted again in the same invocation once it was changed', async () => {
    recordLogLines();
    const fails = new Set([broken]);
    const source = await createSource({ fails, countedAfterMs: new Map([[good, 5000]]) });
    for (const scope of [broken, good]) await source.change(scope);
    source.changeAt(source.clock.nowMs + 2000, broken);

    await source.invoke();

    const attempts = source.invocations[0]?.attempted.filter((key) => key === counterKey(broken));
    expect(attempts).toHaveLength(2);
  });
});

describe('A change that waits for the rollups', () => {
  it('goes on with a new record when the time of the invocation is over, which succeeds', async () => {
    const lines = recordLogLines();
    const source = await createSource({ countedAfterMs: new Map([[good, 25_000]]) });
    await source.change(good);
    await source.invoke();
    expect(source.records).toEqual([good]);
    expect(await source.pending()).toEqual([counterKey(good)]);

    await source.drain();

    const summaries = source.invocations.map(({ outcome, durationMs }) => [
      outcome,
      durationMs >= timeMs - 1000,
    ]);
    expect(summaries).toEqual([
      ['succeeded', true],
      ['succeeded', true],
      ['succeeded', false],
    ]);
    expect([await source.pending(), source.discarded]).toEqual([[], []]);
    expect(lines.map(({ event, organization_id }) => [event, organization_id])).toEqual([
      ['budget_change_continues', 'org_good'],
      ['budget_change_continues', 'org_good'],
    ]);
  });

  it('goes on beside one that fails, whose records are discarded', async () => {
    recordLogLines();
    const countedAfterMs = new Map([[good, 60_000]]);
    const source = await createSource({ fails: new Set([broken]), countedAfterMs });
    for (const scope of [broken, good]) await source.change(scope);

    await source.drain();

    expect(await source.pending()).toEqual([counterKey(broken)]);
    expect(source.progress(good)).toEqual({ changed: 1, applied: 1 });
  });

  it('lets a change through that is made meanwhile', async () => {
    const source = await createSource({ countedAfterMs: new Map([[good, 8000]]) });
    await source.change(good);
    source.changeAt(source.clock.nowMs + 2000, ofKey);

    await source.invoke();

    expect(source.invocations).toMatchObject([
      { attempted: [counterKey(good), counterKey(ofKey)], outcome: 'succeeded' },
    ]);
    expect(await source.pending()).toEqual([]);
  });

  it('is lost at no call at which the process is killed', async () => {
    recordLogLines();
    for (let atCall = 1; ; atCall++) {
      for (const takesEffect of [false, true]) {
        const source = await createSource({ countedAfterMs: new Map([[good, 15_000]]) });
        await source.change(good);

        await source.drain([{ atCall, takesEffect }]);

        expect([atCall, await source.pending(), source.progress(good), source.discarded]).toEqual([
          ...[atCall, [], { changed: 1, applied: 1 }, []],
        ]);
        if (source.invocations[0]?.outcome !== 'killed') return;
      }
    }
  });
});

const scopes = [broken, good, ofKey, ofOrganization('org_other')];
const anyScope = fc.nat(scopes.length - 1);
const anyKill = fc.record({ atCall: fc.integer({ min: 1, max: 12 }), takesEffect: fc.boolean() });

it('leaves no change behind: each is applied, or reported until it is started again', async () => {
  recordLogLines();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ scope: anyScope, afterMs: fc.nat(30_000) }), { minLength: 1, maxLength: 8 }),
      fc.uniqueArray(anyScope),
      fc.array(fc.tuple(anyScope, fc.nat(40_000))),
      fc.array(fc.option(anyKill), { maxLength: 8 }),
      async (changes, failing, waits, kills: (Kill | null)[]) => {
        const scopeAt = (index: number) => scopes[index] ?? good;
        const fails = new Set(failing.map(scopeAt));
        const countedAfterMs = new Map(waits.map(([scope, afterMs]) => [scopeAt(scope), afterMs]));
        const source = await createSource({ fails, countedAfterMs });
        const startMs = source.clock.nowMs;
        for (const { scope, afterMs } of changes) source.changeAt(startMs + afterMs, scopeAt(scope));
        await source.drain(kills);
        while (source.clock.nowMs < startMs + 30_000) {
          source.clock.advance(10_000);
          await source.drain();
        }

        const reported = new Set(source.discarded.flat().map((scope) => counterKey(scope)));
        const pending = await source.pending();
        expect(pending.filter((key) => !reported.has(key))).toEqual([]);
        for (const scope of scopes) {
          const { changed, applied } = source.progress(scope);
          if (!pending.includes(counterKey(scope))) expect(applied).toBe(changed);
        }

        fails.clear();
        source.discarded.splice(0);
        for (const scope of scopes) await restartPendingChange(source.table, scope);
        await source.drain();

        expect([await source.pending(), source.discarded]).toEqual([[], []]);
        for (const scope of scopes) {
          const { changed, applied } = source.progress(scope);
          expect(applied).toBe(changed);
        }
      },
    ),
    { numRuns: byTestForm({ short: 10, long: 500 }) },
  );
});
