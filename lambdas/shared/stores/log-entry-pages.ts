/** Log entries of one shard, oldest first, as they are in the table at that moment: for sums and for repairs. */
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { StoredLogEntry } from '../domain/log-entry.ts';
import { firstLogIdAt, lastLogIdAt } from '../domain/log-id.ts';
import type { TimeWindow } from '../domain/time-window.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { expiryAttribute, partitionOf, storedFromItem, tableKey } from './log-entry-item.ts';

export interface LogEntryPagesRange {
  organizationId: string;
  shard: number;
  window: TimeWindow;
  /** Only entries newer than this id: where a reading that was stopped goes on. */
  after?: string;
  /** How many entries a page looks at; as many as DynamoDB reads at a time where left out. */
  pageSize?: number;
  /** Is told of each page how many entries it took, those among them that have expired and are not in it. */
  lookedAt?: (count: number) => void;
}

/** Pages of at most 1 MB; one can be empty. Strongly consistent. */
export async function* readLogEntryPages(
  table: LogEntriesTable,
  { organizationId, shard, window, after = '', pageSize, lookedAt }: LogEntryPagesRange,
): AsyncGenerator<StoredLogEntry[]> {
  const first = firstLogIdAt(window.startMs);
  const lowest = after > first ? after : first;
  const highest = lastLogIdAt(window.endMs - 1);
  // DynamoDB refuses a range that ends before it starts.
  if (window.startMs >= window.endMs || lowest > highest) return;
  const pages = paginateQuery(
    { client: table.client, ...(pageSize !== undefined && { pageSize }) },
    {
      TableName: table.tableName,
      ConsistentRead: true,
      KeyConditionExpression: '#partition = :partition AND #id BETWEEN :lowest AND :highest',
      FilterExpression: '#expiry > :now',
      ExpressionAttributeNames: { '#partition': tableKey, '#id': 'id', '#expiry': expiryAttribute },
      ExpressionAttributeValues: {
        ':partition': partitionOf(organizationId, shard),
        ':lowest': lowest,
        ':highest': highest,
        ':now': table.now().getTime() / 1000,
      },
    },
  );
  for await (const { Items = [], ScannedCount = 0 } of pages) {
    lookedAt?.(ScannedCount);
    // The range includes its lowest id.
    yield Items.filter(({ id }) => id !== after).map(storedFromItem);
  }
}
