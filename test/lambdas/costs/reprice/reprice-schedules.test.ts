/** What is left when entries were priced again in any way: each entry right, and the rollups the sum of the entries. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#lambdas/access/api-key.ts';
import { createCostRollupReader } from '#lambdas/costs/report/rollup-reader.ts';
import { newPriceOf } from '#lambdas/costs/reprice/new-price.ts';
import { periodText } from '#lambdas/costs/rollups/period.ts';
import { dimensions, periodsOf, rollupOf, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { addTotals, noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { fc } from '#test/support/fast-check.ts';
import { openStreamTail, type StreamTail } from '#test/support/stream-tail.ts';
import { createTables, type TestTables } from '#test/support/tables.ts';
import { inThisForm } from '#test/support/test-form.ts';
import {
  deliver,
  newWorld,
  recordsOf,
  reprice,
  rollupTable,
  storedEntries,
  tableOf,
  type World,
  write,
} from './reprice-world.ts';

const schedulesAtOnce = 10;
const rounds = inThisForm({ short: 2, long: 60 });

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
  model: fc.constantFrom('a', 'b', 'c', 'd'),
  shard: fc.nat({ max: 2 }),
  tokens: fc.nat({ max: 3_000_000 }),
  pricing: fc.constantFrom<LogEntry['pricing']>('unknown', 'unknown', 'table', 'provider', null),
  minutesBack: fc.nat({ max: 90 }),
});
const run = fc.record({
  list: fc.nat({ max: 2 }),
  entries: fc.constantFrom('unknown' as const, 'all' as const),
});
const kill = fc.record({ atCall: fc.nat({ max: 12 }), isSent: fc.boolean() });
const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), request }),
  fc.record({ kind: fc.constant('write' as const), request }),
  fc.record({ kind: fc.constant('reprice' as const), run, kill: fc.option(kill, { nil: undefined }) }),
  fc.record({ kind: fc.constant('reprice twice' as const), run, other: run }),
  fc.record({
    kind: fc.constant('deliver' as const),
    batch: fc.record({ again: fc.nat({ max: 5 }), next: fc.nat({ max: 5 }), cut: fc.nat({ max: 5 }) }),
  }),
);
const schedule = fc.record({
  shards: fc.integer({ min: 1, max: 3 }),
  first: fc.array(request, { minLength: 1, maxLength: 6 }),
  steps: fc.array(step, { maxLength: 8 }),
  /** The last task, which is to be finished in the end. */
  kills: fc.array(kill, { maxLength: 4 }),
});

type Schedule = typeof schedule extends fc.Arbitrary<infer Value> ? Value : never;

const lastTask = { list: 2, entries: 'all' } as const;

async function play({ shards, first, steps, kills }: Schedule): Promise<World> {
  const world = newWorld({ database, tables, stream, organizationId: newId('org'), shards });
  for (const each of first) await write(world, each);
  for (const each of steps) await takeStep(world, each);
  for (const each of kills) await reprice(world, { ...lastTask, kill: each });
  await reprice(world, lastTask);
  const { length } = await recordsOf(world);
  await deliver(world, { again: 3, next: length, cut: 4 });
  return world;
}

async function takeStep(world: World, each: Schedule['steps'][number]): Promise<void> {
  switch (each.kind) {
    case 'write':
      return write(world, each.request);
    case 'deliver':
      return deliver(world, each.batch);
    case 'reprice':
      await reprice(world, { ...each.run, kill: each.kill });
      return;
    case 'reprice twice':
      // The second one may take over from the first one.
      await Promise.allSettled([reprice(world, each.run), reprice(world, each.other)]);
      return;
    default:
      each satisfies never;
  }
}

/** Sums by dimension, period, its start, value and model. */
type Sums = Record<string, Totals>;

async function countedSums(world: World): Promise<Sums> {
  const reader = createCostRollupReader(rollupTable(world));
  const sums: Sums = {};
  for (const dimension of dimensions) {
    for (const period of periodsOf(dimension)) {
      const rows = reader.read({
        organizationId: world.organizationId,
        generation: 0,
        dimension,
        period,
        writeShards: writeShardCount(dimension, world.shards),
        window: allTime,
      });
      for await (const { startMs, value, model, totals } of rows) {
        const name = [dimension, period, periodText(period, startMs), value, model].join(' ');
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
      const { startMs, value, model, totals } = rollup;
      for (const period of periodsOf(dimension)) {
        const name = [dimension, period, periodText(period, startMs), value, model].join(' ');
        sums[name] = addTotals(sums[name] ?? noTotals, totals);
      }
    }
  }
  return sums;
}

it('leaves the rollups the sum of the entries, however runs were killed and records delivered', async () => {
  const schedules = fc.array(schedule, { minLength: schedulesAtOnce, maxLength: schedulesAtOnce });
  await fc.assert(
    fc.asyncProperty(schedules, async (together) => {
      for (const world of await Promise.all(together.map(play))) {
        const entries = (await storedEntries(world)).map(({ entry }) => entry);
        const repricing = { ...lastTask, table: tableOf(lastTask.list), settings: {} };

        expect(entries.filter((entry) => newPriceOf(entry, repricing) !== null)).toEqual([]);
        expect(await countedSums(world)).toEqual(expectedSums(entries));
      }
    }),
    // Ten schedules at once take long to make smaller.
    { numRuns: rounds, endOnFailure: true },
  );
});
