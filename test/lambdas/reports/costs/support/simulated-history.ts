/**
 * Simulates the history of an organization's entries and rollups: requests that are presumed interrupted and end later, price
 * changes, records that are delivered twice or quarantined and replayed, rebuilds, and entries that expire.
 */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import { replayRecord } from '#lambdas/costs/repair/replay-record.ts';
import { toRollupRecord } from '#lambdas/costs/rollups/row-updates.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, shardOfLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { partitionOf } from '#lambdas/request-log/table/item.ts';
import { logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import {
  interruptedFields,
  placeholderOf,
  putEntry,
  type RepairTables,
  retentionMs,
} from '#test/lambdas/costs/repair/support/repair-fixture.ts';
import { createSequentialRepairFixture } from '#test/lambdas/costs/repair/support/sequential-repair-fixture.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';
import type { Scenario } from './expected-window.ts';

/** Relative to the first rebuild. */
export type Phase = 'before' | 'during' | 'after';

export interface PriceChange extends Pick<LogEntry, 'cost_usd' | 'pricing'> {
  /** Prices are not changed during a rebuild. */
  phase: 'before' | 'after';
}

export interface SimulatedRequest {
  entry: LogEntry;
  /** When the entry replaces its placeholder; `null` for a request that was never presumed interrupted. */
  replacesPlaceholder: Phase | null;
  priceChanges: PriceChange[];
  /** For each write, whether the rollup function cannot read its record. */
  isQuarantined: boolean[];
}

export interface History {
  requests: SimulatedRequest[];
  rebuilds: number;
  /** Whether quarantined records are replayed before a rebuild, which otherwise counts them. */
  replaysEarly: boolean;
  batchSize: number;
  /** The expired entries that DynamoDB has deleted. */
  deletes: 'none' | 'some' | 'all';
}

export interface HistoryOptions {
  tables: RepairTables;
  now: Date;
  logShards: number;
}

export interface HistoryResult extends Scenario {
  organizationId: string;
}

interface Write {
  phase: Phase;
  /** The write time before the rebuild. */
  writtenAtMs: number;
  isQuarantined: boolean;
  entry: LogEntry;
  replacesPlaceholder: boolean;
}

const minuteMs = 60_000;
const redeliveredRecords = 3;

/** Resolves when all entries have been counted. */
export async function simulateHistory(
  { requests, rebuilds, replaysEarly, batchSize, deletes }: History,
  { tables, now, logShards }: HistoryOptions,
): Promise<HistoryResult> {
  const fixture = createSequentialRepairFixture(tables, now.toISOString());
  const { organizationId } = fixture;
  fixture.logShards = logShards;
  const clock = () => new Date(fixture.nowMs);
  const table = { client: tables.client, tableName: tables.costRollups };
  const unreadable = new Set<DynamoDBRecord>();
  const deadLetters: { shardId: string; record: DynamoDBRecord }[] = [];
  const handler = rollupFunction({
    table,
    now: clock,
    readRecord(record) {
      if (unreadable.has(record)) throw new Error('It needs another version');
      return toRollupRecord(record);
    },
    deadLetters: {
      async send(shardId, records) {
        deadLetters.push(...records.map((record) => ({ shardId, record })));
      },
    },
  });

  const writes = requests.flatMap((request) => writesOf(request, organizationId, fixture.nowMs));
  writes.sort((one, other) => one.writtenAtMs - other.writtenAtMs);

  const writeEntry = async ({ phase, entry, isQuarantined, ...write }: Write) => {
    fixture.nowMs += 1;
    const previous = fixture.entries.find((stored) => stored.entry.id === entry.id);
    const placeholder = write.replacesPlaceholder
      ? previous && placeholderOf(previous)
      : previous?.placeholder;
    await putEntry(fixture, {
      entry,
      writtenAtMs: phase === 'before' ? write.writtenAtMs : fixture.nowMs,
      ...(placeholder !== undefined && { placeholder }),
    });
    const stream = fixture.shards[shardOfLogId(entry.id) % fixture.shards.length];
    const { record } = stream?.records.at(-1) ?? {};
    if (isQuarantined && record !== undefined) unreadable.add(record);
  };

  const deliverAll = async () => {
    for (const shard of fixture.shards) {
      while (shard.checkpoint < shard.records.length) {
        const to = Math.min(shard.checkpoint + batchSize, shard.records.length);
        const batch = shard.records.slice(Math.max(0, shard.checkpoint - redeliveredRecords), to);
        await handler({ shardId: shard.id, Records: batch.map(({ record }) => record) });
        shard.checkpoint = to;
      }
    }
  };

  const simulatePhase = async (phase: Phase) => {
    for (const write of writes.filter((each) => each.phase === phase)) {
      writes.splice(writes.indexOf(write), 1);
      await writeEntry(write);
    }
    await deliverAll();
  };

  const replayAll = async () => {
    for (const { shardId, record } of deadLetters.splice(0).reverse()) {
      const result = await replayRecord(
        {
          costRollups: table,
          budgetCounters: { ...table, tableName: 'BudgetCounters' },
          now: clock,
          pause: async () => {},
        },
        { shardId, record: toRollupRecord(record) },
      );
      if (result === 'being rebuilt' || result === 'copied by a rebuild')
        throw new Error(`The record was not replayed: it is ${result}`);
    }
  };

  const hasExpired = ({ id }: LogEntry) => expiresAtMs(id) <= fixture.nowMs;

  const rebuild = async () => {
    // The rows of expired entries are copied, and their records cannot be replayed any more.
    if (replaysEarly || fixture.entries.some(({ entry }) => hasExpired(entry))) await replayAll();
    await rebuildRollups(fixture.dependencies({ onWait: () => simulatePhase('during') }), {
      organizationIds: [organizationId],
      coversAllOrganizations: false,
    });
  };

  await simulatePhase('before');
  const expired = fixture.entries.filter(({ entry }) => hasExpired(entry));
  const deleted = { none: [], some: expired.filter((_, index) => index % 2 === 0), all: expired }[deletes];
  for (const { entry } of deleted) await deleteEntry(tables, entry);
  if (rebuilds > 0) await rebuild();
  await simulatePhase('during');
  await simulatePhase('after');
  if (rebuilds > 1) await rebuild();
  await replayAll();

  const entries = fixture.entries.map(({ entry }) => entry);
  return { organizationId, entries, expired: new Set(entries.filter(hasExpired)), now: clock() };
}

async function deleteEntry({ client, logEntries }: RepairTables, { organization_id, id }: LogEntry) {
  const { partitionKey, sortKey } = logEntriesSchema;
  const Key = { [partitionKey]: partitionOf(organization_id, shardOfLogId(id)), [sortKey]: id };
  await client.send(new DeleteCommand({ TableName: logEntries, Key }));
}

/** The entry has a new id, since fast-check generates the same entries again when it shrinks a failure. */
function writesOf(request: SimulatedRequest, organizationId: string, nowMs: number): Write[] {
  const { replacesPlaceholder, priceChanges, isQuarantined } = request;
  const createdMs = timestampOfLogId(request.entry.id);
  const id = createLogId(createdMs, shardOfLogId(request.entry.id));
  // Nothing happens to an entry that is about to expire.
  const isOld = expiresAtMs(id) < nowMs + 60 * minuteMs;
  const writes: Pick<Write, 'phase' | 'entry' | 'replacesPlaceholder'>[] = [];
  const add = (phase: Phase, entry: LogEntry, replaces = false) =>
    writes.push({ phase: isOld ? 'before' : phase, entry, replacesPlaceholder: replaces });
  let entry: LogEntry = { ...request.entry, id, organization_id: organizationId };
  if (replacesPlaceholder !== null) add('before', { ...entry, ...interruptedFields });
  add(replacesPlaceholder ?? 'before', entry, replacesPlaceholder !== null);
  const isLate = replacesPlaceholder !== null && replacesPlaceholder !== 'before';
  for (const { phase, ...price } of priceChanges.toSorted(byPhase)) {
    entry = { ...entry, ...price };
    add(isLate ? 'after' : phase, entry);
  }
  return writes.map((write, index) => ({
    ...write,
    writtenAtMs: createdMs + (20 * index + 1) * minuteMs,
    isQuarantined: isQuarantined[index] ?? false,
  }));
}

function byPhase(one: PriceChange, other: PriceChange): number {
  return Number(one.phase === 'after') - Number(other.phase === 'after');
}

function expiresAtMs(id: string): number {
  return Math.floor((timestampOfLogId(id) + retentionMs) / 1000) * 1000;
}
