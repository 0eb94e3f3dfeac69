/** Creates the initial states of simulations: an organization with corrupted or with consistent rollups. */
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { totalsAdditions } from '#lambdas/costs/rollups/item.ts';
import { readRowPages, rollupPartitions } from '#lambdas/costs/rollups/rows.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import { deliver, handleResult } from '#test/lambdas/costs/rollups/support/stream-shard.ts';
import { type Rows, readRows } from './expected-rows.ts';
import type { Random } from './random.ts';
import {
  appendToStream,
  createEntry,
  createRepairFixture,
  putEntry,
  type RepairFixture,
  type RepairTables,
  retentionMs,
  serviceTiers,
} from './repair-fixture.ts';
import { drainShards } from './simulate-requests.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Added to a daily total to corrupt it, which distinguishes it from rebuilt totals. */
export const addedRequests = 1_000_000;

export interface InitialState {
  fixture: RepairFixture;
  originalRows: Rows;
}

/** With a history, some entries have expired and others expire during the simulation. */
export async function createCorruptedFixture(
  tables: RepairTables,
  random: Random,
  { nowMs, hasHistory }: { nowMs: number; hasHistory: boolean },
): Promise<InitialState> {
  const fixture = createRepairFixture(tables, nowMs);
  fixture.logShards = 1 + random.below(2);
  const expiryMs = nowMs - retentionMs;
  if (hasHistory) {
    for (const backMs of [hourMs / 60, 2 * hourMs, 40 * dayMs]) {
      const stored = createOldEntry(fixture, random, expiryMs - backMs);
      // An expired entry may not be deleted yet.
      if (random.below(3) === 0) await putEntry(fixture, stored);
      else appendToStream(fixture, stored, null);
    }
    for (const aheadMs of [1000, 40 * hourMs])
      await putEntry(fixture, createOldEntry(fixture, random, expiryMs + aheadMs));
  }
  const agesMs = [60 * dayMs, 31 * dayMs, 5 * dayMs, 26 * hourMs, hourMs, 5 * 60_000, 1000];
  const recentAgesMs = agesMs.filter(() => random.below(3) === 0);
  for (const ageMs of [...recentAgesMs, 500])
    await putEntry(fixture, createOldEntry(fixture, random, nowMs - ageMs));
  await processStreamExceptLatest(fixture, random);
  await corruptRows(fixture, random);
  return { fixture, originalRows: await readRows(fixture, 0) };
}

/** The rollups include all entries of two days. */
export async function createConsistentFixture(
  tables: RepairTables,
  random: Random,
  nowMs: number,
): Promise<RepairFixture> {
  const fixture = createRepairFixture(tables, nowMs);
  fixture.logShards = 1 + random.below(2);
  for (const ageMs of [26 * hourMs, 25 * hourMs, 3 * hourMs, 6 * 60_000])
    await putEntry(fixture, createOldEntry(fixture, random, nowMs - ageMs));
  await drainShards(fixture);
  return fixture;
}

function createOldEntry(fixture: RepairFixture, random: Random, createdMs: number) {
  const fields = {
    user_id: random.pick([null, null, 'u']),
    model: random.pick(['a', 'b']),
    operation: random.pick(operations),
    service_tier: random.pick(serviceTiers),
    pricing: random.pick(['table', 'assumed'] as const),
  };
  const stored = createEntry(fixture, { createdMs, shard: random.below(fixture.logShards), fields });
  return { ...stored, writtenAtMs: createdMs + 200 };
}

async function processStreamExceptLatest(fixture: RepairFixture, random: Random): Promise<void> {
  for (const stream of fixture.shards) {
    const isOld = ({ writtenAtMs }: { writtenAtMs: number }) => writtenAtMs < fixture.nowMs - dayMs;
    const minRecords = stream.records.filter(isOld).length;
    await deliver(fixture, stream, Math.max(minRecords, stream.records.length - random.below(4)));
    await stream.invocation?.finish();
    handleResult(stream, false);
  }
}

/** Adds `addedRequests` to a daily total; deletes, doubles or adds other rows. */
async function corruptRows(
  { client, tables, organizationId, logShards }: RepairFixture,
  random: Random,
): Promise<void> {
  const table = { client, tableName: tables.costRollups };
  const partitions = rollupPartitions({ organizationId, generation: 0, logShards });
  const pages = partitions.map((partition) =>
    Array.fromAsync(readRowPages(table, partition, { window: allTime })),
  );
  const rows = (await Promise.all(pages)).flat(2);
  const add = ({ pk, sk }: { pk: string; sk: string }, requests: number) =>
    client.send(
      new UpdateCommand({
        TableName: tables.costRollups,
        Key: { pk, sk },
        ...updateExpressions({ add: totalsAdditions({ ...noTotals, requests }) }),
      }),
    );
  const today = rows.filter(({ pk }) => pk.includes('#totals#day#')).at(-1);
  await add(
    today ?? { pk: `${organizationId}#0#totals#day#0`, sk: `2026-03-14#openai//nobody` },
    addedRequests,
  );
  for (const { pk, sk, rollup } of rows) {
    if (pk === today?.pk && sk === today.sk) continue;
    const corruption = random.below(12);
    if (corruption === 0)
      await client.send(new DeleteCommand({ TableName: tables.costRollups, Key: { pk, sk } }));
    if (corruption === 1) await add({ pk, sk }, rollup.totals.requests);
    if (corruption === 2) await add({ pk, sk: `${sk}-none` }, 1);
  }
}
