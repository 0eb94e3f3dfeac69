/** Log entries in their table: written by the chat function, read by the endpoints. */
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { LogEntry, LogEntryRange, LogEntryReader, LogEntryWriter } from '../domain/log-entry.ts';
import { firstLogIdAt, lastLogIdAt, timestampOfLogId } from '../domain/log-id.ts';
import type { TimeWindow } from '../domain/time-window.ts';
import { fromItem, indexKey, modelIndex, providerIndex, toItem } from './log-entry-item.ts';

export interface LogEntriesTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

const dayInSeconds = 86_400;

export function createLogEntryWriter(table: LogEntriesTable, retentionDays: number): LogEntryWriter {
  return {
    async put(entry) {
      const writtenAt = Math.floor(timestampOfLogId(entry.id) / 1000);
      const Item = toItem(entry, writtenAt + retentionDays * dayInSeconds);
      await table.client.send(new PutCommand({ TableName: table.tableName, Item }));
    },
  };
}

export function createLogEntryReader(table: LogEntriesTable): LogEntryReader {
  return {
    async find(organizationId, id) {
      const { Item } = await table.client.send(
        new GetCommand({
          TableName: table.tableName,
          Key: { organization_id: organizationId, id },
          ConsistentRead: true,
        }),
      );
      return Item === undefined ? null : fromItem(Item);
    },
    newestFirst: (range) => queryEntries(table, range),
  };
}

/** Every entry of the organization in the window. */
export function readLogEntries(
  table: LogEntriesTable,
  { organizationId, window }: { organizationId: string; window: TimeWindow },
): AsyncIterable<LogEntry> {
  return queryEntries(table, { organizationId, window, filter: {}, pageSize: 1000 });
}

async function* queryEntries(table: LogEntriesTable, range: LogEntryRange): AsyncGenerator<LogEntry> {
  const { window, before, pageSize } = range;
  const lowest = firstLogIdAt(window.startMs);
  const end = lastLogIdAt(window.endMs - 1);
  const highest = before !== undefined && before < end ? before : end;
  // DynamoDB refuses a range that ends before it starts.
  if (window.startMs >= window.endMs || lowest > highest) return;
  const pages = paginateQuery(
    { client: table.client, pageSize },
    {
      TableName: table.tableName,
      ScanIndexForward: false,
      ...queryFor(range, { ':lowest': lowest, ':highest': highest }),
    },
  );
  for await (const { Items = [] } of pages) {
    // The range includes its highest id, and `before` is not part of the answer.
    for (const item of Items) if (item.id !== before) yield fromItem(item);
  }
}

type Query = Omit<QueryCommandInput, 'TableName'>;

/** Reads the index that narrows most; what it does not narrow is filtered. */
function queryFor({ organizationId, filter: { model, provider } }: LogEntryRange, bounds: object): Query {
  if (model !== undefined) {
    const query = partitionQuery(modelIndex.key, indexKey(organizationId, model), bounds);
    return { ...(provider === undefined ? query : filteredBy(provider, query)), IndexName: modelIndex.name };
  }
  if (provider !== undefined) {
    const query = partitionQuery(providerIndex.key, indexKey(organizationId, provider), bounds);
    return { ...query, IndexName: providerIndex.name };
  }
  return partitionQuery('organization_id', organizationId, bounds);
}

function partitionQuery(key: string, value: string, bounds: object): Query {
  return {
    KeyConditionExpression: '#partition = :partition AND #id BETWEEN :lowest AND :highest',
    ExpressionAttributeNames: { '#partition': key, '#id': 'id' },
    ExpressionAttributeValues: { ':partition': value, ...bounds },
  };
}

function filteredBy(provider: string, query: Query): Query {
  return {
    ...query,
    FilterExpression: '#provider = :provider',
    ExpressionAttributeNames: { ...query.ExpressionAttributeNames, '#provider': 'provider' },
    ExpressionAttributeValues: { ...query.ExpressionAttributeValues, ':provider': provider },
  };
}
