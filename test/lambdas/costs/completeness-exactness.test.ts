/**
 * Checks the time up to which everything is said to be counted, on the embedded DynamoDB, while the rollup function is behind:
 * it has counted a part of each stream shard, at an arbitrary point.
 *
 * Every entry that is in the table and has an earlier write time must have been counted. The exception, if the newest entry of
 * the shard seems counted, are entries that others overtook: those received earlier, and those whose write took longer. An
 * entry seems counted if it is, or if a counted one overtook its write. A rebuild counts by the write time.
 */

import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findCompleteUntil } from '#lambdas/costs/completeness.ts';
import { stateKey } from '#lambdas/costs/rollups/state.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import { shardsOf } from '#lambdas/request-log/table/scan.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { costDependencies } from '#test/support/reports/cost-dependencies.ts';
import { byTestForm } from '#test/support/test-form.ts';
import {
  createEntry,
  createRepairFixture,
  interruptedFields,
  putEntry,
  type RepairFixture,
  type RepairTables,
  replacePlaceholder,
} from './repair/support/repair-fixture.ts';
import { drainShards } from './repair/support/simulate-requests.ts';
import { deliver, handleResult } from './rollups/support/stream-shard.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const nowMs = Date.parse('2026-02-01T00:20:00.500Z');
const logShards = 3;

let database: EmbeddedDynamoDB;
let tables: RepairTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());

interface Request {
  /** From when the table had the entry until now. */
  ageMs: number;
  durationMs: number;
  /** From the write time until the table had the entry. */
  putMs: number;
  shard: number;
  fields: Partial<LogEntry>;
}

const request = fc.record<Request>({
  ageMs: fc.oneof(
    ...[10 * secondMs, 2 * minuteMs, 30 * minuteMs, 20 * hourMs].map((max) => fc.integer({ min: 1, max })),
  ),
  durationMs: fc.oneof(fc.nat(2 * secondMs), fc.nat(14 * minuteMs)),
  putMs: fc.oneof(fc.nat(20), fc.nat(5 * secondMs)),
  shard: fc.nat(logShards - 1),
  fields: fc.oneof(
    fc.constantFrom(
      {},
      { api_key_id: 'key_2' },
      { model: 'b' },
      { error_code: 'timeout', outcome: 'timeout' as const },
      { route: 'fast', superseded_by: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01' },
    ),
    fc.record({
      error_code: fc.constant('rate_limit_exceeded'),
      outcome: fc.constant('rejected' as const),
      refused_requests: fc.constantFrom(null, 2, 10, 50),
    }),
  ),
});

interface Scenario {
  requests: Request[];
  /** The number of uncounted records of each stream shard. */
  behind: [number, number];
  /** The age of the cutover, if the rollups were rebuilt. */
  cutoverAgeMs: number | null;
}

const scenario = fc.record<Scenario>({
  requests: fc.array(request, { minLength: 1, maxLength: 14 }),
  behind: fc.tuple(fc.nat(6), fc.nat(6)),
  cutoverAgeMs: fc.option(fc.oneof(fc.nat(3 * minuteMs), fc.nat(24 * hourMs)), { freq: 2 }),
});

/** A rebuild has counted the second entry, whose write took longer, but not the first, whose request did. */
const overtakenAtCutover: Scenario = {
  requests: [
    { ageMs: 1, durationMs: 2, putMs: 4, shard: 1, fields: {} },
    { ageMs: 1, durationMs: 0, putMs: 5, shard: 1, fields: {} },
  ],
  behind: [2, 2],
  cutoverAgeMs: 5,
};

it('is after no entry that has not been counted, and the present when all have been', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ requests, behind, cutoverAgeMs }) => {
      const fixture = createRepairFixture(tables, nowMs);
      const cutoverMs = cutoverAgeMs === null ? 0 : nowMs - cutoverAgeMs;
      await putCutover(fixture, cutoverMs);
      const order = await writeEntries(fixture, requests);
      for (const [index, shard] of fixture.shards.entries()) {
        await deliver(fixture, shard, Math.max(0, shard.records.length - (behind[index] ?? 0)));
        await shard.invocation?.finish();
        handleResult(shard, false);
      }
      const counted = countedIds(fixture);
      const isCounted = ({ entry, writtenAtMs }: StoredLogEntry) =>
        writtenAtMs < cutoverMs || counted.has(entry.id);

      const times = await completeTimes(fixture, cutoverMs);
      for (const stored of order) {
        if (isCounted(stored)) continue;
        const shard = shardOfLogId(stored.entry.id);
        const timeMs = times[shard] ?? Number.NaN;
        const ofShard = order.filter(({ entry }) => shardOfLogId(entry.id) === shard);
        const seemsCounted = (other: StoredLogEntry, position: number) =>
          isCounted(other) ||
          ofShard.slice(0, position).some((each) => isCounted(each) && each.writtenAtMs >= other.writtenAtMs);
        const isOvertaken = ofShard.some(
          (other, position) => other.entry.id >= stored.entry.id && seemsCounted(other, position),
        );
        if (timeMs === nowMs && isOvertaken) continue;
        expect(timeMs, `the time of shard ${shard}`).toBeLessThanOrEqual(stored.writtenAtMs);
      }

      await drainShards(fixture);
      expect(await completeTimes(fixture, cutoverMs)).toEqual(Array(logShards).fill(nowMs));
    }),
    { numRuns: byTestForm({ short: 10, long: 500 }), examples: [[overtakenAtCutover]] },
  );
});

it('is the write time of the first request after a night, until that has been counted', async () => {
  const fixture = createRepairFixture(tables, nowMs);
  const fields = {};
  // The last requests of the evening overtook each other; one with an hour of its own came in between.
  const evening = [540, 539.98, 539.97, 480].map((minutes) => ({
    ageMs: minutes * minuteMs,
    durationMs: 9000,
    putMs: 20,
  }));
  await writeEntries(
    fixture,
    evening.map((each) => ({ ...each, shard: 0, fields })),
  );
  await drainShards(fixture);
  const timeOf = async () => (await completeTimes(fixture, 0))[0];
  expect(await timeOf()).toBe(nowMs);

  await writeEntries(fixture, [{ ageMs: 1000, durationMs: 4 * secondMs, putMs: 10, shard: 0, fields }]);
  expect(await timeOf()).toBe(nowMs - 1010);
  // A request of another model that took longer, and has been written since.
  const slow = { ageMs: 500, durationMs: 10 * minuteMs, putMs: 5, shard: 0, fields: { model: 'b' } };
  await writeEntries(fixture, [slow]);
  expect(await timeOf()).toBe(nowMs - 1010);

  const [shard] = fixture.shards;
  await drainShards(fixture);
  expect(await timeOf()).toBe(nowMs);
  expect(shard?.checkpoint).toBe(shard?.records.length);
});

it.each([
  [
    'a request that took longer, and began in the hour before',
    { ageMs: 76 * minuteMs, durationMs: 0, putMs: 0 },
    { ageMs: 70 * minuteMs, durationMs: 14 * minuteMs, putMs: 0 },
  ],
  [
    'an entry whose write took longer than that of the counted one',
    { ageMs: 70 * minuteMs, durationMs: 2 * secondMs, putMs: 0 },
    { ageMs: 70 * minuteMs - 2 * secondMs, durationMs: secondMs, putMs: 4 * secondMs },
  ],
])('is the write time of the first uncounted entry: %s', async (_, counted, uncounted) => {
  const fixture = createRepairFixture(tables, nowMs);
  const newest = { ageMs: 1000, durationMs: 10, putMs: 10 };
  await writeEntries(
    fixture,
    [counted, uncounted, newest].map((each) => ({ ...each, shard: 0, fields: {} })),
  );
  const [shard] = fixture.shards;
  if (shard === undefined) throw new Error('There is no shard');
  await deliver(fixture, shard, 1);
  await shard.invocation?.finish();
  handleResult(shard, false);
  expect((await completeTimes(fixture, 0))[0]).toBe(nowMs - uncounted.ageMs - uncounted.putMs);
});

it('is the write time of an entry that has replaced its placeholder, while the rows count only that', async () => {
  const fixture = createRepairFixture(tables, nowMs);
  const presumed = {
    ageMs: 30 * minuteMs,
    durationMs: minuteMs,
    putMs: 0,
    shard: 0,
    fields: interruptedFields,
  };
  const [placeholder] = await writeEntries(fixture, [presumed]);
  await drainShards(fixture);
  await replacePlaceholder({ ...fixture, nowMs: nowMs - 20 * secondMs }, placeholder as StoredLogEntry);
  await writeEntries(fixture, [{ ageMs: 1000, durationMs: 10, putMs: 10, shard: 0, fields: {} }]);
  expect((await completeTimes(fixture, 0))[0]).toBe(nowMs - 20 * secondMs);
});

it('is as early as the last counted request if there are more than 1,000 entries to search', async () => {
  const fixture = createRepairFixture(tables, nowMs);
  const request = (ageMs: number) => ({ ageMs, durationMs: 1000, putMs: 0, shard: 0, fields: {} });
  const evening = Array.from({ length: 1000 }, (_, index) => request(9 * hourMs + 10 * index));
  await writeEntries(fixture, evening);
  await drainShards(fixture);
  await writeEntries(fixture, [request(1000)]);
  expect((await completeTimes(fixture, 0))[0]).toBe(nowMs - 9 * hourMs - 5 * secondMs);
});

/** Stores that a rebuild has counted the entries that were written before this time. */
async function putCutover({ organizationId }: RepairFixture, cutoverMs: number): Promise<void> {
  const state = { generation: cutoverMs === 0 ? 0 : 1, from_ms: cutoverMs };
  await tables.client.send(
    new PutCommand({ TableName: tables.costRollups, Item: { ...stateKey(organizationId), ...state } }),
  );
}

/** Returns the entries in the order of the stream. */
async function writeEntries(fixture: RepairFixture, requests: Request[]): Promise<StoredLogEntry[]> {
  const stored = requests
    .toSorted((one, other) => other.ageMs - one.ageMs)
    .map(({ ageMs, durationMs, putMs, shard, fields }) => {
      const writtenAtMs = nowMs - ageMs - putMs;
      return {
        ...createEntry(fixture, { createdMs: writtenAtMs - durationMs, shard, fields }),
        writtenAtMs,
      };
    });
  for (const each of stored) await putEntry(fixture, each);
  return stored;
}

function countedIds({ shards }: RepairFixture): Set<string | undefined> {
  const counted = shards.flatMap(({ records, checkpoint }) => records.slice(0, checkpoint));
  return new Set(counted.map(({ record }) => record.dynamodb.NewImage?.id?.S));
}

function completeTimes({ organizationId }: RepairFixture, cutoverMs: number): Promise<number[]> {
  const dependencies = costDependencies(tables, {
    logShardsOf: async () => logShards,
    now: () => new Date(nowMs),
  });
  const generation = { generation: cutoverMs === 0 ? 0 : 1, cutoverMs };
  const shards = shardsOf(organizationId, logShards);
  return Promise.all(shards.map((shard) => findCompleteUntil(dependencies, generation, [shard])));
}
