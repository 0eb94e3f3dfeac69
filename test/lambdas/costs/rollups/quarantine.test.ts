import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { createQuarantine, quarantineKey } from '#lambdas/costs/rollups/quarantine.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads } from '#test/support/dynamodb/read-meter.ts';
import { createRollupsTable } from '#test/support/dynamodb/rollups-table.ts';

let database: EmbeddedDynamoDB;
let table: CostRollupsTable;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  table = await createRollupsTable(database);
});
afterAll(() => database.stop());

const daySeconds = 86_400;

it('finds the quarantined records of a shard between two sequence numbers of any length', async () => {
  const quarantine = createQuarantine(table, () => new Date());
  await quarantine.add('shardId-1', ['9', '10', '99', '100', '101']);
  await quarantine.add('shardId-2', ['50']);
  expect(await quarantine.find('shardId-1', { first: '10', last: '100' })).toEqual(
    new Set(['10', '99', '100']),
  );
  expect(await quarantine.find('shardId-3', { first: '1', last: '9' })).toEqual(new Set());
});

it('uses consistent reads, since the previous invocation may just have quarantined records', async () => {
  const meter = meterReads(database.client);
  await createQuarantine(table, () => new Date()).find('shardId-1', { first: '1', last: '2' });
  expect(meter.take().map(({ input }) => input.ConsistentRead)).toEqual([true]);
});

it('keeps the item as long as the record or its message can be redelivered', async () => {
  const sequenceNumber = '7';
  const quarantineAt = (atSeconds: number) =>
    createQuarantine(table, () => new Date(atSeconds * 1000)).add('shardId-5', [sequenceNumber]);
  await quarantineAt(1_769_850_600);
  await quarantineAt(1_769_850_600 + daySeconds);
  const Key = quarantineKey({ shardId: 'shardId-5', sequenceNumber });
  const { Item } = await table.client.send(new GetCommand({ TableName: table.tableName, Key }));
  expect(Item).toEqual({ ...Key, expires_at: 1_769_850_600 + 16 * daySeconds });
});
