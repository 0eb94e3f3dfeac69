/**
 * An organization with log entries, the stream of what is written, the rollup function, readers, rebuilds and a clock.
 * What happens next is drawn from a seed.
 */
import { type DynamoDBDocumentClient, PutCommand, type QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { RepairDependencies } from '#lambdas/costs/repair/complete-entries.ts';
import type { RollupHandler } from '#lambdas/costs/rollups/handler.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { createLogId, shardOfLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { rollupFunction } from '#test/support/rollup-function.ts';
import { newShard, type StreamShard } from '../rollups/stream-shard.ts';

export const retentionMs = 90 * 86_400_000;

export interface WorldTables {
  client: DynamoDBDocumentClient;
  logEntries: string;
  costRollups: string;
}

export interface World {
  tables: WorldTables;
  client: DynamoDBDocumentClient;
  organizationId: string;
  nowMs: number;
  logShards: number;
  /** Those of the table. */
  entries: StoredLogEntry[];
  /** Stamped, and on their way to the table. */
  writes: StoredLogEntry[];
  /** When each entry was first written, by id. */
  firstWrittenMs: Map<string, number>;
  /** What was changed of entries, in the end to be found in the rows. */
  changes: { before: LogEntry; after: LogEntry }[];
  streams: StreamShard[];
  handlerWith(client: DynamoDBDocumentClient): RollupHandler;
  /** What the commands work with, with another client: each run has its own, to be interrupted. */
  partsWith(client: DynamoDBDocumentClient, job: RepairDependencies['job']): RepairDependencies;
}

let organizations = 0;

export function newWorld(tables: WorldTables, nowMs: number): World {
  const now = () => new Date(world.nowMs);
  const world: World = {
    tables,
    client: tables.client,
    organizationId: `org_${++organizations}`,
    nowMs,
    logShards: 1,
    entries: [],
    writes: [],
    firstWrittenMs: new Map(),
    changes: [],
    streams: ['0', '1'].map((number) => newShard(`shardId-0000176${number}-abcd`, null)),
    handlerWith: (client) => rollupFunction({ table: { client, tableName: tables.costRollups }, now }),
    partsWith: (client, job) => ({
      directory: { logShardsOf: async () => world.logShards },
      logEntries: { client: withSmallPages(client, 3), tableName: tables.logEntries, now },
      costRollups: { client: withSmallPages(client, 10), tableName: tables.costRollups },
      now,
      job,
    }),
  };
  return world;
}

/** Pages of a few items, since those of DynamoDB take a megabyte to fill. */
export function withSmallPages(client: DynamoDBDocumentClient, limit: number): DynamoDBDocumentClient {
  const send = (command: QueryCommand) => {
    const { input } = command;
    if ('KeyConditionExpression' in input) input.Limit = Math.min(input.Limit ?? limit, limit);
    return client.send(command);
  };
  return Object.create(client, { send: { value: send } });
}

/** What is known of a request whose function was killed. */
export const interrupted = {
  outcome: 'interrupted',
  usage_source: 'missing',
  cost_usd: '0',
  pricing: null,
  ...usageFields(null),
} as const satisfies Partial<LogEntry>;

/** Puts the entry of such a request in the place of its placeholder. */
export async function replace(world: World, { entry, writtenAtMs }: StoredLogEntry): Promise<void> {
  const { input_tokens, output_tokens } = logEntry();
  await put(world, {
    entry: {
      ...entry,
      input_tokens,
      output_tokens,
      cost_usd: '0.75',
      outcome: 'completed',
      pricing: 'table',
    },
    writtenAtMs: world.nowMs,
    placeholderWrittenAtMs: writtenAtMs,
  });
}

export interface Request {
  createdMs: number;
  shard: number;
  fields?: Partial<LogEntry>;
}

/** A request that has ended: its entry is stamped, and not written yet. */
export function stamp(world: World, { createdMs, shard, fields }: Request): StoredLogEntry {
  const id = createLogId(createdMs, shard);
  return {
    entry: logEntry({ id, organization_id: world.organizationId, ...fields }),
    writtenAtMs: world.nowMs,
  };
}

/** Puts an entry into the table, new or changed, and the change into the stream. */
export async function put(world: World, stored: StoredLogEntry): Promise<void> {
  const index = world.entries.findIndex(({ entry }) => entry.id === stored.entry.id);
  const before = world.entries[index];
  await world.client.send(new PutCommand({ TableName: world.tables.logEntries, Item: itemOf(stored) }));
  if (before === undefined) {
    world.entries.push(stored);
    world.firstWrittenMs.set(stored.entry.id, stored.writtenAtMs);
  } else {
    world.entries[index] = stored;
    world.changes.push({ before: before.entry, after: stored.entry });
  }
  append(world, stored, before ?? null);
}

/** Only into the stream: an entry that the table has no more when it is looked at. */
export function append(world: World, stored: StoredLogEntry, before: StoredLogEntry | null): void {
  const stream = world.streams[shardOfLogId(stored.entry.id) % world.streams.length];
  if (stream === undefined) throw new Error('There is no stream');
  stream.records.push({
    writtenAtMs: stored.writtenAtMs,
    record: {
      eventName: before === null ? 'INSERT' : 'MODIFY',
      dynamodb: {
        SequenceNumber: String(97 + stream.records.length),
        NewImage: imageOf(stored),
        ...(before !== null && { OldImage: imageOf(before) }),
      },
    },
  });
}

function imageOf(stored: StoredLogEntry) {
  return marshall(itemOf(stored)) as Record<string, never>;
}

function itemOf({ entry, ...written }: StoredLogEntry) {
  const expiresAtSeconds = Math.floor((Date.parse(entry.created_at) + retentionMs) / 1000);
  return toItem(entry, { ...written, expiresAtSeconds });
}
