/** The fixture of repairs: an organization with log entries, their stream, the rollup function and a clock. */
import { type DynamoDBDocumentClient, PutCommand, type QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { RepairDependencies } from '#lambdas/costs/repair/complete-entries.ts';
import type { RollupHandler } from '#lambdas/costs/rollups/handler.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry, ReplacedPlaceholder, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { createLogId, shardOfLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import {
  createShard,
  type StreamShard,
  sequenceNumberAt,
} from '#test/lambdas/costs/rollups/support/stream-shard.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';

export const retentionMs = 90 * 86_400_000;

export interface RepairTables {
  client: DynamoDBDocumentClient;
  logEntries: string;
  costRollups: string;
}

export interface RepairFixture {
  tables: RepairTables;
  client: DynamoDBDocumentClient;
  organizationId: string;
  nowMs: number;
  logShards: number;
  entries: StoredLogEntry[];
  /** Entries with a write time that are not in the table yet. */
  pendingWrites: StoredLogEntry[];
  /** The first write time of each entry, by id. */
  firstWrittenMs: Map<string, number>;
  /** All changes of entries, for the expected rows. */
  changes: { before: LogEntry; after: LogEntry }[];
  shards: StreamShard[];
  handlerWith(client: DynamoDBDocumentClient): RollupHandler;
  /** The dependencies of one run of a command. The client can interrupt the run. */
  createDependencies(client: DynamoDBDocumentClient, job: RepairDependencies['job']): RepairDependencies;
}

let organizations = 0;

export function createRepairFixture(tables: RepairTables, nowMs: number): RepairFixture {
  const now = () => new Date(fixture.nowMs);
  const fixture: RepairFixture = {
    tables,
    client: tables.client,
    organizationId: `org_${++organizations}`,
    nowMs,
    logShards: 1,
    entries: [],
    pendingWrites: [],
    firstWrittenMs: new Map(),
    changes: [],
    shards: ['0', '1'].map((number) => createShard(`shardId-0000176${number}-${organizations}`, null)),
    handlerWith: (client) => rollupFunction({ table: { client, tableName: tables.costRollups }, now }),
    createDependencies: (client, job) => ({
      directory: { logShardsOf: async () => fixture.logShards },
      logEntries: { client: withSmallPages(client, 3), tableName: tables.logEntries, now },
      costRollups: { client: withSmallPages(client, 10), tableName: tables.costRollups },
      now,
      job,
    }),
  };
  return fixture;
}

/** Limits pages to a few items: a full page of DynamoDB would take a megabyte. */
export function withSmallPages(client: DynamoDBDocumentClient, limit: number): DynamoDBDocumentClient {
  const send = (command: QueryCommand) => {
    const { input } = command;
    if ('KeyConditionExpression' in input) input.Limit = Math.min(input.Limit ?? limit, limit);
    return client.send(command);
  };
  return Object.create(client, { send: { value: send } });
}

/** The names are chosen to look like parts of a key. */
export const serviceTiers = ['default', 'default', null, 'a/b', '1:#/'];

export const interruptedFields = {
  outcome: 'interrupted',
  error_code: 'interrupted',
  usage_source: 'estimated',
  cost_usd: '0.2',
  pricing: 'assumed',
  service_tier: null,
  ...usageFields([{ model: null, usage: { ...noUsage, freshInputTokens: 3 } }], null),
} as const satisfies Partial<LogEntry>;

export function placeholderOf({ entry, writtenAtMs }: StoredLogEntry): ReplacedPlaceholder {
  const { cost_usd, pricing, input_tokens } = entry;
  return { writtenAtMs, cost_usd, pricing, input_tokens };
}

export async function replacePlaceholder(fixture: RepairFixture, stored: StoredLogEntry): Promise<void> {
  const { entry } = stored;
  const { input_tokens, output_tokens, service_tier } = logEntry();
  await putEntry(fixture, {
    entry: {
      ...entry,
      input_tokens,
      output_tokens,
      service_tier,
      cost_usd: '0.75',
      outcome: 'completed',
      pricing: 'assumed',
    },
    writtenAtMs: fixture.nowMs,
    placeholder: placeholderOf(stored),
  });
}

export interface Request {
  createdMs: number;
  shard: number;
  fields?: Partial<LogEntry>;
}

/** Creates the entry of a finished request, with a write time, but does not write it. */
export function createEntry(fixture: RepairFixture, { createdMs, shard, fields }: Request): StoredLogEntry {
  const id = createLogId(createdMs, shard);
  return {
    entry: logEntry({ id, organization_id: fixture.organizationId, ...fields }),
    writtenAtMs: fixture.nowMs,
  };
}

/** Writes a new or changed entry to the table, and appends the change to the stream. */
export async function putEntry(fixture: RepairFixture, stored: StoredLogEntry): Promise<void> {
  const index = fixture.entries.findIndex(({ entry }) => entry.id === stored.entry.id);
  const previous = fixture.entries[index];
  await fixture.client.send(new PutCommand({ TableName: fixture.tables.logEntries, Item: itemOf(stored) }));
  if (previous === undefined) {
    fixture.entries.push(stored);
    fixture.firstWrittenMs.set(stored.entry.id, stored.writtenAtMs);
  } else {
    fixture.entries[index] = stored;
    fixture.changes.push({ before: previous.entry, after: stored.entry });
  }
  appendToStream(fixture, stored, previous ?? null);
}

/** Called without `putEntry` for an entry that has already expired from the table. */
export function appendToStream(
  fixture: RepairFixture,
  stored: StoredLogEntry,
  previous: StoredLogEntry | null,
): void {
  const stream = fixture.shards[shardOfLogId(stored.entry.id) % fixture.shards.length];
  if (stream === undefined) throw new Error('There is no stream');
  stream.records.push({
    writtenAtMs: stored.writtenAtMs,
    record: {
      eventName: previous === null ? 'INSERT' : 'MODIFY',
      dynamodb: {
        SequenceNumber: sequenceNumberAt(stream.records.length),
        NewImage: imageOf(stored),
        ...(previous !== null && { OldImage: imageOf(previous) }),
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
