/** What a play begins with: an organization whose rollups are damaged, or one whose are right. */
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { readRowPages, rollupPartitions } from '#lambdas/costs/rollups/rows.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { deliver, settle } from '../rollups/stream-shard.ts';
import { settleStreams } from './play-requests.ts';
import type { Random } from './random.ts';
import { append, newWorld, put, retentionMs, stamp, type World, type WorldTables } from './rebuild-world.ts';
import { type Rows, rowsOf } from './rollup-truth.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** So much too high are the former totals that nobody can take them for the rebuilt ones. */
export const damage = 1_000_000;

export interface Setup {
  world: World;
  /** The rows as they were damaged. */
  kept: Rows;
}

/** With a history, entries of old have expired, and those of a day are just expiring. */
export async function damagedWorld(
  tables: WorldTables,
  random: Random,
  { nowMs, hasHistory }: { nowMs: number; hasHistory: boolean },
): Promise<Setup> {
  const world = newWorld(tables, nowMs);
  world.logShards = 1 + random.below(2);
  const expiryMs = nowMs - retentionMs;
  if (hasHistory) {
    for (const backMs of [hourMs / 60, 2 * hourMs, 40 * dayMs]) {
      const stored = old(world, random, expiryMs - backMs);
      // What has expired may still be there.
      if (random.below(3) === 0) await put(world, stored);
      else append(world, stored, null);
    }
    for (const aheadMs of [1000, 40 * hourMs]) await put(world, old(world, random, expiryMs + aheadMs));
  }
  const agesMs = [60 * dayMs, 31 * dayMs, 5 * dayMs, 26 * hourMs, hourMs, 5 * 60_000, 1000];
  const young = agesMs.filter(() => random.below(3) === 0);
  for (const ageMs of [...young, 500]) await put(world, old(world, random, nowMs - ageMs));
  await countMost(world, random);
  await damageRows(world, random);
  return { world, kept: await rowsOf(world, 0) };
}

/** All of two days has been counted. */
export async function healthyWorld(tables: WorldTables, random: Random, nowMs: number): Promise<World> {
  const world = newWorld(tables, nowMs);
  world.logShards = 1 + random.below(2);
  for (const ageMs of [26 * hourMs, 25 * hourMs, 3 * hourMs, 6 * 60_000])
    await put(world, old(world, random, nowMs - ageMs));
  await settleStreams(world);
  return world;
}

function old(world: World, random: Random, createdMs: number) {
  const fields = { user_id: random.pick([null, null, 'u']), model: random.pick(['a', 'b']) };
  const stored = stamp(world, { createdMs, shard: random.below(world.logShards), fields });
  return { ...stored, writtenAtMs: createdMs + 200 };
}

/** The function lags behind by the last entries. */
async function countMost(world: World, random: Random): Promise<void> {
  for (const stream of world.streams) {
    const isOld = ({ writtenAtMs }: { writtenAtMs: number }) => writtenAtMs < world.nowMs - dayMs;
    const least = stream.records.filter(isOld).length;
    await deliver(world, stream, Math.max(least, stream.records.length - random.below(4)));
    await stream.invocation?.finish();
    settle(stream, false);
  }
}

/** A day of totals is far too high; other rows are missing, doubled, or nothing's sum. */
async function damageRows(
  { client, tables, organizationId, logShards }: World,
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
        UpdateExpression:
          'ADD requests :requests, cost_usd :none, input_tokens :none, output_tokens :none, unpriced_requests :none',
        ExpressionAttributeValues: { ':requests': requests, ':none': 0 },
      }),
    );
  const today = rows.filter(({ pk }) => pk.includes('#model#day#')).at(-1);
  await add(today ?? { pk: `${organizationId}#0#model#day#0`, sk: `2026-03-14#openai/nobody` }, damage);
  for (const { pk, sk, rollup } of rows) {
    if (pk === today?.pk && sk === today.sk) continue;
    const fate = random.below(12);
    if (fate === 0) await client.send(new DeleteCommand({ TableName: tables.costRollups, Key: { pk, sk } }));
    if (fate === 1) await add({ pk, sk }, rollup.totals.requests);
    if (fate === 2) await add({ pk, sk: `${sk}-none` }, 1);
  }
}
