import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createLogId } from '#lambdas/request-log/id.ts';
import {
  createSdkLogEntryWriter,
  type LogEntriesTable,
} from '#lambdas/request-log/table/log-entries-table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);

let database: EmbeddedDynamoDB;
let table: LogEntriesTable;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const { logEntries } = await createTables(database);
  table = { client: database.documentClient, tableName: logEntries, now: () => new Date(startMs + 5120) };
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => database.stop());

const keyOf = (id: string) => ({ organization_shard: 'org_AAAAAAAAAAAAAAAA#9', id });

async function itemOf(id: string) {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.tableName, Key: keyOf(id) }));
  return Item;
}

it('writes an entry into the shard of its id, with write time and expiry', async () => {
  const id = createLogId(startMs, 9);
  await createSdkLogEntryWriter(table, 90).put(logEntry({ id }));

  // The retention starts with the request, regardless of its duration.
  expect(await itemOf(id)).toMatchObject({
    written_at: startMs + 5120,
    expires_at: startMs / 1000 + 90 * 86_400,
  });
});

it('does not overwrite an existing entry, which may have been repriced', async () => {
  const id = createLogId(startMs, 9);
  const entry = logEntry({ id });
  await createSdkLogEntryWriter(table, 90).put(entry);
  const repriced = new UpdateCommand({
    TableName: table.tableName,
    Key: keyOf(id),
    UpdateExpression: 'SET cost_usd = :cost',
    ExpressionAttributeValues: { ':cost': 1 },
  });
  await table.client.send(repriced);
  const before = await itemOf(id);
  await createSdkLogEntryWriter({ ...table, now: () => new Date(startMs + 9000) }, 90).put(entry);

  expect(before).toMatchObject({ cost_usd: 1, written_at: startMs + 5120 });
  expect(await itemOf(id)).toEqual(before);
});

it('replaces a placeholder with its entry, and never replaces an entry', async () => {
  const id = createLogId(startMs, 9);
  const writer = createSdkLogEntryWriter(table, 90);
  const entry = logEntry({ id, cost_usd: '0.25' });
  const placeholder = logEntry({ id, outcome: 'interrupted', cost_usd: '0.125', pricing: 'assumed' });
  await writer.put(placeholder);
  await writer.put({ ...placeholder, latency_ms: 1 });
  expect(await itemOf(id)).toMatchObject({ outcome: 'interrupted', latency_ms: placeholder.latency_ms });

  const later = createSdkLogEntryWriter({ ...table, now: () => new Date(startMs + 9000) }, 90);
  await later.put(entry);
  await later.put(placeholder);
  await writer.put({ ...entry, cost_usd: '1' });

  // A rebuild of the cost rollups may have to count the placeholder.
  expect(await itemOf(id)).toMatchObject({
    outcome: 'completed',
    cost_usd: '0.25',
    written_at: startMs + 9000,
    placeholder: {
      written_at: startMs + 5120,
      cost_usd: '0.125',
      pricing: 'assumed',
      input_tokens: 1200,
    },
  });
});

it('rejects when the table does not exist', async () => {
  const writer = createSdkLogEntryWriter({ ...table, tableName: 'NoSuchTable' }, 90);

  await expect(writer.put(logEntry())).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

it('rejects when the table has not responded after five seconds', async () => {
  const aborted = AbortSignal.abort();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(aborted);
  const put = createSdkLogEntryWriter(table, 90).put(logEntry());

  await expect(put).rejects.toMatchObject({ name: 'AbortError' });
  expect(timeout.mock.calls).toEqual([[5000]]);
});
