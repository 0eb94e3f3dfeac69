/**
 * The fixture of the rollup function: organizations with log entries, their stream, rebuilds and a clock.
 * The test determines all events and their order.
 */

import { marshall } from '@aws-sdk/util-dynamodb';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { toRollupRecord } from '#lambdas/costs/rollups/row-updates.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { firstLogIdAt, shardOfLogId } from '#lambdas/request-log/id.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';
import type { InterruptibleRun } from './interruptible-run.ts';
import type { Rebuild } from './simulated-rebuild.ts';
import { createDeadLetterQueue } from './simulated-replay.ts';
import { createShard, type InvocationContext, type StreamShard, sequenceNumberAt } from './stream-shard.ts';

/** Two organizations. One has entries in three log shards, two of which share a write shard of the totals. */
const locations = [
  { organization: 0, logShard: 0, lineage: 0 },
  { organization: 0, logShard: 3, lineage: 1 },
  { organization: 0, logShard: 9, lineage: 1 },
  { organization: 1, logShard: 0, lineage: 0 },
] as const;

export interface Organization {
  id: string;
  generation: number;
  cutoverMs: number;
  rebuild: Rebuild | null;
}

export interface RollupFixture extends InvocationContext {
  table: CostRollupsTable;
  nowMs: number;
  organizations: Organization[];
  entries: StoredLogEntry[];
  /** All shards, parents first. Records are appended to the shards without children. */
  shards: StreamShard[];
  /** For each lineage, the shard or the two shards into which it was split. */
  openShards: StreamShard[][];
  /** The ids of entries that only the second version of the function can read. */
  unreadableIds: Set<string>;
  isSecondVersion: boolean;
  sentMessages: number;
  replays: InterruptibleRun[];
}

export function createRollupFixture(
  table: CostRollupsTable,
  { organizationIds, startMs }: { organizationIds: string[]; startMs: number },
): RollupFixture {
  // Unique names, since several fixtures share a table.
  const shards = [0, 1].map((lineage) =>
    createShard(`shardId-0000176${lineage}-${organizationIds[0]}`, null),
  );
  const fixture: RollupFixture = {
    table,
    client: table.client,
    nowMs: startMs,
    organizations: organizationIds.map((id) => ({ id, generation: 0, cutoverMs: 0, rebuild: null })),
    entries: [],
    shards,
    openShards: shards.map((shard) => [shard]),
    unreadableIds: new Set(),
    isSecondVersion: false,
    sentMessages: 0,
    replays: [],
    handlerWith(client) {
      const { isSecondVersion } = fixture;
      return rollupFunction({
        table: { ...table, client },
        now: () => new Date(fixture.nowMs),
        deadLetters: createDeadLetterQueue(fixture, client),
        readRecord(record) {
          const read = toRollupRecord(record);
          if (fixture.unreadableIds.has(read.entry.id) && !isSecondVersion)
            throw new Error('It needs the second version');
          return read;
        },
      });
    },
  };
  return fixture;
}

export interface Request {
  location: number;
  model: number;
  operation: OperationName;
  serviceTier: string | null;
  minutesBack: number;
  headers: Partial<Pick<LogEntry, 'prompt_id' | 'session_id' | 'user_id'>>;
  /** `null` for a request that was not refused. */
  refusal: Pick<LogEntry, 'refused_requests'> | null;
  /** `null` without a route. A refused request has no attempts. */
  routed: Partial<Pick<LogEntry, 'route' | 'superseded_by' | 'error_code'>> | null;
  price: Price;
  needsSecondVersion: boolean;
}

export interface Price {
  cost_usd: string;
  pricing: LogEntry['pricing'];
}

export function writeEntry(
  fixture: RollupFixture,
  {
    location,
    model,
    operation,
    serviceTier,
    minutesBack,
    headers,
    refusal,
    routed,
    price,
    needsSecondVersion,
  }: Request,
) {
  const { organization, logShard, lineage } = elementAt(locations, location);
  const entry = logEntry({
    id: logId(fixture.nowMs - minutesBack * 60_000, [fixture.entries.length, logShard]),
    organization_id: elementAt(fixture.organizations, organization).id,
    model: elementAt(['a', 'b/c'], model),
    operation,
    service_tier: serviceTier,
    ...headers,
    ...price,
    ...routed,
    ...(refusal && {
      superseded_by: null,
      outcome: 'rejected',
      error_code: 'rate_limit_exceeded',
      ...refusal,
    }),
  });
  fixture.entries.push({ entry, writtenAtMs: fixture.nowMs });
  if (needsSecondVersion) fixture.unreadableIds.add(entry.id);
  append(fixture, { lineage, item: fixture.entries.length }, { entry, before: null });
}

/** Like `createLogId`, but deterministic. */
function logId(timestampMs: number, lastBytes: number[]): string {
  const end = lastBytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${firstLogIdAt(timestampMs).slice(0, -end.length)}${end}`;
}

/** Reprices an entry, unless its organization's rollups are being rebuilt, which a lock prevents. */
export function repriceEntry(fixture: RollupFixture, entryIndex: number, price: Price) {
  const index = entryIndex % Math.max(fixture.entries.length, 1);
  const stored = fixture.entries[index];
  const organization = fixture.organizations.find(({ id }) => id === stored?.entry.organization_id);
  if (stored === undefined || organization === undefined || organization.rebuild !== null) return;
  const entry = { ...stored.entry, ...price };
  fixture.entries[index] = { entry, writtenAtMs: fixture.nowMs };
  const location = locations.find(
    ({ organization: owner, logShard }) =>
      fixture.organizations[owner] === organization && logShard === shardOfLogId(entry.id),
  );
  append(fixture, { lineage: location?.lineage ?? 0, item: index + 1 }, { entry, before: stored.entry });
}

export function writeMalformedItem(fixture: RollupFixture, lineage: number) {
  append(fixture, { lineage, item: 0 }, null);
}

function append(
  fixture: RollupFixture,
  { lineage, item }: { lineage: number; item: number },
  change: { entry: LogEntry; before: LogEntry | null } | null,
) {
  // All records of an item go to the same child shard.
  const shard = elementAt(elementAt(fixture.openShards, lineage), item);
  const image = (entry: LogEntry, writtenAtMs: number) =>
    marshall(toItem(entry, { writtenAtMs, expiresAtSeconds: 0 }));
  shard.records.push({
    writtenAtMs: fixture.nowMs,
    record: {
      eventName: change?.before == null ? 'INSERT' : 'MODIFY',
      dynamodb: {
        SequenceNumber: sequenceNumberAt(shard.records.length),
        ApproximateCreationDateTime: Math.floor(fixture.nowMs / 1000),
        ...(change === null
          ? { NewImage: { id: { S: 'x' } } }
          : { NewImage: image(change.entry, fixture.nowMs) }),
        ...(change?.before != null && { OldImage: image(change.before, fixture.nowMs - 1) }),
      },
    } as StreamShard['records'][number]['record'],
  });
}

export function splitShard(fixture: RollupFixture, lineage: number) {
  const [parent, ...rest] = elementAt(fixture.openShards, lineage);
  if (parent === undefined || rest.length > 0) return;
  const children = ['c', 'd'].map((child) => createShard(`${parent.id}${child}`, parent));
  fixture.openShards[lineage] = children;
  fixture.shards.push(...children);
}

export function elementAt<Value>(values: readonly Value[], index: number): Value {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('The list is empty');
  return value;
}
