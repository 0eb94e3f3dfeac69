/**
 * Organizations with log entries, a stream of what is written of them, rebuilds, and a clock: everything around the
 * rollup function. The test says what happens, and when.
 */

import { marshall } from '@aws-sdk/util-dynamodb';
import { rollupRecordOf } from '#lambdas/costs/rollups/increments.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { firstLogIdAt, shardOfLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { rollupFunction } from '#test/support/rollup-function.ts';
import type { InterruptedRun } from './interrupted-run.ts';
import type { Rebuild } from './simulated-rebuild.ts';
import { deadLettersOf } from './simulated-replay.ts';
import { newShard, type Poller, type StreamShard } from './stream-shard.ts';

/** Two organizations, one of which has entries in three of its shards; two of those share the write shard of the totals. */
const places = [
  { organization: 0, logShard: 0, lineage: 0 },
  { organization: 0, logShard: 3, lineage: 1 },
  { organization: 0, logShard: 9, lineage: 1 },
  { organization: 1, logShard: 0, lineage: 0 },
] as const;

export interface Organization {
  id: string;
  generation: number;
  fromMs: number;
  rebuild: Rebuild | null;
}

export interface World extends Poller {
  table: CostRollupsTable;
  nowMs: number;
  organizations: Organization[];
  /** As the log table has them. */
  entries: StoredLogEntry[];
  /** All shards that there ever were, parents first; of each lineage those without children are written to. */
  shards: StreamShard[];
  /** By lineage: the shard, or the two that it was split into. */
  open: StreamShard[][];
  /** Of entries that the first version of the function cannot read, and the second one can. */
  oddIds: Set<string>;
  isSecondVersion: boolean;
  /** How many messages the function has sent to its dead-letter queue. */
  sent: number;
  replays: InterruptedRun[];
}

export function newWorld(
  table: CostRollupsTable,
  { organizationIds, beginMs }: { organizationIds: string[]; beginMs: number },
): World {
  // Of its own, as the organizations: many worlds have a table together.
  const shards = [0, 1].map((lineage) => newShard(`shardId-0000176${lineage}-${organizationIds[0]}`, null));
  const world: World = {
    table,
    client: table.client,
    nowMs: beginMs,
    organizations: organizationIds.map((id) => ({ id, generation: 0, fromMs: 0, rebuild: null })),
    entries: [],
    shards,
    open: shards.map((shard) => [shard]),
    oddIds: new Set(),
    isSecondVersion: false,
    sent: 0,
    replays: [],
    handlerWith(client) {
      const { isSecondVersion } = world;
      return rollupFunction({
        table: { ...table, client },
        now: () => new Date(world.nowMs),
        deadLetters: deadLettersOf(world, client),
        readRecord(record) {
          const read = rollupRecordOf(record);
          if (world.oddIds.has(read.entry.id) && !isSecondVersion) throw new Error('It is odd');
          return read;
        },
      });
    },
  };
  return world;
}

export interface Request {
  place: number;
  model: number;
  minutesBack: number;
  headers: Partial<Pick<LogEntry, 'prompt_id' | 'session_id' | 'user_id'>>;
  price: Price;
  isOdd: boolean;
}

export interface Price {
  cost_usd: string;
  pricing: LogEntry['pricing'];
}

export function write(world: World, { place, model, minutesBack, headers, price, isOdd }: Request) {
  const { organization, logShard, lineage } = at(places, place);
  const entry = logEntry({
    id: logId(world.nowMs - minutesBack * 60_000, [world.entries.length, logShard]),
    organization_id: at(world.organizations, organization).id,
    model: at(['a', 'b/c'], model),
    ...headers,
    ...price,
  });
  world.entries.push({ entry, writtenAtMs: world.nowMs });
  if (isOdd) world.oddIds.add(entry.id);
  append(world, { lineage, item: world.entries.length }, { entry, before: null });
}

/** As `createLogId` makes them, but nothing in it is left to chance. */
function logId(timestampMs: number, lastBytes: number[]): string {
  const end = lastBytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${firstLogIdAt(timestampMs).slice(0, -end.length)}${end}`;
}

/** Prices an entry again, unless its organization's rollups are being rebuilt: one excludes the other. */
export function rewrite(world: World, pick: number, price: Price) {
  const index = pick % Math.max(world.entries.length, 1);
  const stored = world.entries[index];
  const organization = world.organizations.find(({ id }) => id === stored?.entry.organization_id);
  if (stored === undefined || organization === undefined || organization.rebuild !== null) return;
  const entry = { ...stored.entry, ...price };
  world.entries[index] = { entry, writtenAtMs: world.nowMs };
  const place = places.find(
    ({ organization: owner, logShard }) =>
      world.organizations[owner] === organization && logShard === shardOfLogId(entry.id),
  );
  append(world, { lineage: place?.lineage ?? 0, item: index + 1 }, { entry, before: stored.entry });
}

/** Something in the log table that is no entry. */
export function writeForeign(world: World, lineage: number) {
  append(world, { lineage, item: 0 }, null);
}

function append(
  world: World,
  { lineage, item }: { lineage: number; item: number },
  change: { entry: LogEntry; before: LogEntry | null } | null,
) {
  // Of two children, all of an item goes to the same one.
  const shard = at(at(world.open, lineage), item);
  const number = 97 + shard.records.length;
  const image = (entry: LogEntry, writtenAtMs: number) =>
    marshall(toItem(entry, { writtenAtMs, expiresAtSeconds: 0 }));
  shard.records.push({
    writtenAtMs: world.nowMs,
    record: {
      eventName: change?.before == null ? 'INSERT' : 'MODIFY',
      dynamodb: {
        SequenceNumber: String(number),
        ApproximateCreationDateTime: Math.floor(world.nowMs / 1000),
        ...(change === null
          ? { NewImage: { id: { S: 'x' } } }
          : { NewImage: image(change.entry, world.nowMs) }),
        ...(change?.before != null && { OldImage: image(change.before, world.nowMs - 1) }),
      },
    } as StreamShard['records'][number]['record'],
  });
}

/** The lineage's shard ends, and goes on in two. */
export function split(world: World, lineage: number) {
  const [parent, ...rest] = at(world.open, lineage);
  if (parent === undefined || rest.length > 0) return;
  const children = ['c', 'd'].map((child) => newShard(`${parent.id}${child}`, parent));
  world.open[lineage] = children;
  world.shards.push(...children);
}

export function at<Value>(values: readonly Value[], index: number): Value {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('There is nothing to take from');
  return value;
}
