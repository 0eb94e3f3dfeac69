import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogId } from '../../../../lambdas/shared/domain/log-id.ts';
import {
  createLogEntryWriter,
  type LogEntriesTable,
} from '../../../../lambdas/shared/stores/log-entry-writer.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '../../../support/embedded-dynamodb.ts';
import { logEntry } from '../../../support/log-entries.ts';
import { createTables } from '../../../support/tables.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);

let database: EmbeddedDynamoDB;
let table: LogEntriesTable;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const { logEntries } = await createTables(database);
  table = { client: database.documentClient, tableName: logEntries, now: () => new Date(startMs + 5120) };
});
afterAll(() => database.stop());

it('writes an entry into the shard that its id names, with its times', async () => {
  const id = createLogId(startMs, 9);
  await createLogEntryWriter(table, 90).put(logEntry({ id }));

  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.tableName,
      Key: { organization_shard: 'org_AAAAAAAAAAAAAAAA#9', id },
    }),
  );

  // It expires after the retention from the request on, however long the answer took.
  expect(Item).toMatchObject({ written_at: startMs + 5120, expires_at: startMs / 1000 + 90 * 86_400 });
});
