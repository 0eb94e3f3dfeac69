import { afterAll, beforeAll, expect, it } from 'vitest';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { newPriceOf } from '#lambdas/costs/reprice/new-price.ts';
import { dimensions, periodsOf, rollupOf, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { addTotals, noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { periodText } from '#lambdas/platform/period.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { snapshotOf } from '#lambdas/pricing/custom/store.ts';
import { createCostRollupReader } from '#lambdas/reports/rollup-reader.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { openStreamTail, type StreamTail } from '#test/support/dynamodb/stream-tail.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import {
  createRepriceFixture,
  deliver,
  priceTableOf,
  type RepriceFixture,
  readStreamRecords,
  reprice,
  rollupTable,
  storedEntries,
  writeEntry,
} from './reprice-fixture.ts';

const concurrentScenarios = 10;
const numRuns = byTestForm({ short: 2, long: 60 });

let database: EmbeddedDynamoDB;
let tables: TestTables;
let stream: StreamTail;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = await createTables(database);
  stream = await openStreamTail(database.endpoint, tables.logEntriesStreamArn);
});

afterAll(async () => {
  stream.stop();
  await database.stop();
});

const request = fc.record({
  model: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  operation: fc.constantFrom(...operations),
  serviceTier: fc.constantFrom(null, 'priority', 'a/b', '1:#/'),
  shard: fc.nat({ max: 2 }),
  tokens: fc.nat({ max: 3_000_000 }),
  pricing: fc.constantFrom<LogEntry['pricing']>('unknown', 'unknown', 'assumed', 'table', 'provider', null),
  minutesBack: fc.nat({ max: 90 }),
});
const run = fc.record({
  list: fc.nat({ max: 2 }),
  entries: fc.constantFrom('uncertain' as const, 'all' as const),
});
const kill = fc.record({ atCall: fc.nat({ max: 12 }), isSent: fc.boolean() });
const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), request }),
  fc.record({ kind: fc.constant('write' as const), request }),
  fc.record({ kind: fc.constant('reprice' as const), run, kill: fc.option(kill, { nil: undefined }) }),
  fc.record({ kind: fc.constant('concurrent reprices' as const), run, other: run }),
  fc.record({
    kind: fc.constant('deliver' as const),
    batch: fc.record({
      redelivered: fc.nat({ max: 5 }),
      next: fc.nat({ max: 5 }),
      split: fc.nat({ max: 5 }),
    }),
  }),
);
const scenario = fc.record({
  shards: fc.integer({ min: 1, max: 3 }),
  first: fc.array(request, { minLength: 1, maxLength: 6 }),
  steps: fc.array(step, { maxLength: 8 }),
  /** Interrupted runs of the last task, which is completed afterwards. */
  kills: fc.array(kill, { maxLength: 4 }),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Has a name of its own, so that it does not resume a killed run of an earlier step: that would skip entries which were
 * written behind the progress of that run later.
 */
const lastTask = { list: 2, entries: 'all', task: 'last' } as const;

async function simulate({ shards, first, steps, kills }: Scenario): Promise<RepriceFixture> {
  const fixture = createRepriceFixture({
    database,
    tables,
    stream,
    organizationId: newOrganizationId(),
    shards,
  });
  for (const item of first) await writeEntry(fixture, item);
  for (const item of steps) await simulateStep(fixture, item);
  for (const item of kills) await reprice(fixture, { ...lastTask, kill: item });
  await reprice(fixture, lastTask);
  const { length } = await readStreamRecords(fixture);
  await deliver(fixture, { redelivered: 3, next: length, split: 4 });
  return fixture;
}

async function simulateStep(fixture: RepriceFixture, item: Scenario['steps'][number]): Promise<void> {
  switch (item.kind) {
    case 'write':
      return writeEntry(fixture, item.request);
    case 'deliver':
      return deliver(fixture, item.batch);
    case 'reprice':
      await reprice(fixture, { ...item.run, kill: item.kill });
      return;
    case 'concurrent reprices':
      // The second run may take over the lock of the first.
      await Promise.allSettled([reprice(fixture, item.run), reprice(fixture, item.other)]);
      return;
    default:
      item satisfies never;
  }
}

/** Totals by dimension, period, start, value, service tier and model. */
type Sums = Record<string, Totals>;

async function actualSums(fixture: RepriceFixture): Promise<Sums> {
  const reader = createCostRollupReader(rollupTable(fixture));
  const sums: Sums = {};
  for (const dimension of dimensions) {
    for (const period of periodsOf(dimension)) {
      const rows = reader.read({
        organizationId: fixture.organizationId,
        generation: 0,
        dimension,
        period,
        writeShards: writeShardCount(dimension, fixture.shards),
        window: allTime,
      });
      for await (const { startMs, value, operation, serviceTier, model, totals } of rows) {
        const names = [value, operation, serviceTier, model];
        const name = [dimension, period, periodText(period, startMs), ...names].join(' ');
        sums[name] = addTotals(sums[name] ?? noTotals, totals);
      }
    }
  }
  return sums;
}

function expectedSums(entries: LogEntry[]): Sums {
  const sums: Sums = {};
  for (const entry of entries) {
    for (const dimension of dimensions) {
      const rollup = rollupOf(entry, dimension);
      if (rollup === null) continue;
      const { startMs, value, operation, serviceTier, model, totals } = rollup;
      const names = [value, operation, serviceTier, model];
      for (const period of periodsOf(dimension)) {
        const name = [dimension, period, periodText(period, startMs), ...names].join(' ');
        sums[name] = addTotals(sums[name] ?? noTotals, totals);
      }
    }
  }
  return sums;
}

it('keeps rollups equal to the sums of the entries when runs are killed and records redelivered', async () => {
  const scenarios = fc.array(scenario, { minLength: concurrentScenarios, maxLength: concurrentScenarios });
  await fc.assert(
    fc.asyncProperty(scenarios, async (batch) => {
      for (const fixture of await Promise.all(batch.map(simulate))) {
        const entries = (await storedEntries(fixture)).map(({ entry }) => entry);
        const prices = { table: priceTableOf(lastTask.list), settings: {}, customPrices: snapshotOf([]) };

        expect(entries.filter((entry) => newPriceOf(entry, { ...lastTask, ...prices }) !== null)).toEqual([]);
        expect(await actualSums(fixture)).toEqual(expectedSums(entries));
      }
    }),
    // Shrinking ten concurrent scenarios would take long.
    { numRuns, endOnFailure: true },
  );
});
