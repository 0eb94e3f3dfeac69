/** Fault injection passes when the check finds no violation, so the check must find each kind of mistake. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestLease } from '#lambdas/limits/request-lease.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import {
  type ReservationFixture,
  receivedAtMs,
  startReservationFixture,
} from '#test/lambdas/limits/reservation-fixture.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { findLimitViolations } from './invariants.ts';

let fixture: ReservationFixture;
beforeAll(async () => {
  fixture = await startReservationFixture();
});
afterAll(() => fixture.stop());

interface Checked {
  /** Without it, the request stays in progress. */
  end?(lease: RequestLease | null): Promise<void> | undefined;
  /** One entry for each; none by default. */
  costs?: readonly string[];
  afterMs?: number;
}

/** Two requests of a key with a day's limit of 4 dollars, for 3 and for 0.5, in an organization with 10 for the month. */
async function check({ end, costs = [], afterMs = 0 }: Checked): Promise<string[]> {
  const limited = await fixture.createKey({ organization: [{ month: '10' }], key: { day: '4' } });
  const apiKey = { ...limited, key_rate_limits: { concurrent: 3 } };
  const { reserve } = fixture.startReserving();
  const { lease } = await reserve(apiKey, '3');
  const other = await reserve(apiKey, '0.5');
  await other.lease?.cancel();
  await end?.(lease);
  const id = createLogId(receivedAtMs);
  const entries = costs.map((cost_usd) => logEntry({ id, cost_usd }));
  const table = { calls: tableCallsAt(fixture.endpoint), tableName: fixture.tableName };
  return findLimitViolations(table, { apiKey, entries, nowMs: receivedAtMs + afterMs });
}

describe('The check of limits', () => {
  it('accepts counters that hold nothing', async () => {
    expect(await check({ end: (lease) => lease?.cancel() })).toEqual([]);
  });

  it('accepts what killed functions held two minutes ago', async () => {
    expect(await check({ afterMs: 120_000 })).toEqual([]);
  });

  it('reports what a request in progress holds', async () => {
    expect(await check({})).toEqual([
      'organization: 3 USD are reserved or pending',
      'key: requests in progress: 1',
      'key: 3 USD are reserved or pending',
    ]);
  });

  it('reports a pending cost that was never counted', async () => {
    const end = (lease: RequestLease | null) => lease?.end({ costUsd: '0.25', tokens: 0 });

    expect(await check({ end, costs: ['0.25'] })).toEqual([
      'organization: 0.25 USD are reserved or pending',
      'organization: spent 0 USD in 2026-11-23, but the entries cost 0.25',
      'organization: spent 0 USD in 2026-11, but the entries cost 0.25',
      'key: 0.25 USD are reserved or pending',
      'key: spent 0 USD in 2026-11-23, but the entries cost 0.25',
      'key: spent 0 USD in 2026-11, but the entries cost 0.25',
    ]);
  });

  it('reports costs of entries that were not counted', async () => {
    expect(await check({ end: (lease) => lease?.cancel(), costs: ['0.5', '0.25'] })).toEqual([
      'organization: spent 0 USD in 2026-11-23, but the entries cost 0.75',
      'organization: 1000000000000 USD are available in 2026-11-23, not 999999999999.25',
      'organization: spent 0 USD in 2026-11, but the entries cost 0.75',
      'organization: 10 USD are available in 2026-11, not 9.25',
      'key: spent 0 USD in 2026-11-23, but the entries cost 0.75',
      'key: 4 USD are available in 2026-11-23, not 3.25',
      'key: spent 0 USD in 2026-11, but the entries cost 0.75',
      'key: 1000000000000 USD are available in 2026-11, not 999999999999.25',
    ]);
  });
});
