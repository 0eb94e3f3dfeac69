import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { findRollupState, stateKey } from '#lambdas/costs/rollups/state.ts';
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

const put = (organizationId: string, state: object) =>
  table.client.send(
    new PutCommand({ TableName: table.tableName, Item: { ...stateKey(organizationId), ...state } }),
  );

it('returns generation 0 for an organization that was never rebuilt', async () => {
  expect(await findRollupState(table, 'org_new')).toEqual({ generation: 0, cutoverMs: 0, rebuild: null });
});

it('returns generation 0 when the item has only the lock of another command', async () => {
  await put('org_repriced', { reprice: { started: 1 } });
  expect(await findRollupState(table, 'org_repriced')).toEqual({
    generation: 0,
    cutoverMs: 0,
    rebuild: null,
    repricedMs: Number.POSITIVE_INFINITY,
  });
});

it('returns when prices were last changed', async () => {
  await put('org_repriced_before', { repriced_ms: 7 });
  expect(await findRollupState(table, 'org_repriced_before')).toMatchObject({ repricedMs: 7 });
});

it('returns the active generation and the one under construction, each with its cutover', async () => {
  await put('org_1', { generation: 2, from_ms: 1000, rebuild: { generation: 3, from_ms: 5000, done: {} } });
  expect(await findRollupState(table, 'org_1')).toEqual({
    generation: 2,
    cutoverMs: 1000,
    rebuild: { generation: 3, cutoverMs: 5000 },
  });
});

it('uses consistent reads, since rebuilds rely on every reader to see their state changes', async () => {
  const meter = meterReads(database.client);
  await findRollupState(table, 'org_1');
  expect(meter.take().map(({ input }) => input.ConsistentRead)).toEqual([true]);
});
