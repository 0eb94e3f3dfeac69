/** Writes log entries, and waits until the gateway's rollup function has counted them. */
import { setTimeout as delay } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { findCountedUntil, findRollupState } from '#lambdas/costs/rollups/state.ts';
import { chunksOf, forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { daySeconds } from '#lambdas/platform/duration.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import { findNewestLogEntry } from '#lambdas/request-log/table/extent.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import type { LocalTables } from './gateway.ts';

type Tables = Pick<LocalTables, 'logEntries' | 'costRollups' | 'entryRetentionDays'>;

/** The limit of a `BatchWriteItem`. Single writes would take longer, and leave the rollup function small batches to count. */
const batchItems = 25;
const concurrentBatches = 8;
const pollMs = 250;

/**
 * Writes the entries that are not there, and returns their number once they are counted. The entries must be sorted by id,
 * and all be in the first write shard.
 */
export async function writeEntries(
  tables: Tables,
  entries: readonly LogEntry[],
  onWritten: (written: number, total: number) => void = () => {},
): Promise<number> {
  const { logEntries, costRollups } = tables;
  const [oldest, newest] = [entries.at(0), entries.at(-1)];
  if (oldest === undefined || newest === undefined) return 0;
  const shard = { organizationId: oldest.organization_id, shard: 0 };
  const window = { startMs: timestampOfLogId(oldest.id), endMs: timestampOfLogId(newest.id) + 1 };
  const stored = new Set<string>();
  for await (const page of readLogEntryPages(logEntries, { ...shard, window }))
    for (const { entry } of page) stored.add(entry.id);
  const missing = entries.filter(({ id }) => !stored.has(id));
  let written = 0;
  const onBatch = (count: number) => {
    written += count;
    onWritten(written, missing.length);
  };
  await putEntries(tables, missing.slice(0, -1), onBatch);
  // Alone, because the stream's records are counted in order: all others are counted when this one is.
  await putEntries(tables, missing.slice(-1), onBatch);
  const { id } = missing.at(-1) ?? newest;
  const last = await findNewestLogEntry(logEntries, shard, timestampOfLogId(id) + 1);
  while (last !== null) {
    const state = await findRollupState(costRollups, shard.organizationId);
    if ((await findCountedUntil(costRollups, state, last)) !== null) break;
    await delay(pollMs);
  }
  return written;
}

/** Writes entries in batches, without waiting until they are counted. `onBatch` gets the number of each. */
export async function putEntries(
  { logEntries: { client, tableName, now }, entryRetentionDays }: Omit<Tables, 'costRollups'>,
  entries: readonly LogEntry[],
  onBatch: (count: number) => void = () => {},
): Promise<void> {
  await forEachConcurrently(chunksOf(entries, batchItems), concurrentBatches, async (chunk) => {
    const requests = chunk.map((entry) => {
      const expiresAtSeconds =
        Math.floor(timestampOfLogId(entry.id) / 1000) + entryRetentionDays * daySeconds;
      return { PutRequest: { Item: toItem(entry, { writtenAtMs: now().getTime(), expiresAtSeconds }) } };
    });
    await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
    onBatch(chunk.length);
  });
}
