import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NewPrice, setCustomPrices } from '#lambdas/pricing/custom/change.ts';
import { readCustomPricesForModels } from '#lambdas/pricing/custom/store.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads } from '#test/support/dynamodb/read-meter.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';

let database: EmbeddedDynamoDB;
let tableName: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  ({ name: tableName } = await createTable(database.client, 'Prices', { key: ['model', 'scope'] }));
});
afterAll(() => database.stop());

const from = new Date('2026-11-01T00:00:00.000Z');
const models = ['openai/a', 'openai/b', 'vllm/none'];

async function set(model: string, organizationId: string | null, price: NewPrice): Promise<void> {
  const table = { client: database.documentClient, tableName, now: () => from };
  await setCustomPrices(table, { model, organizationId }, [price]);
}

const price = (input: number): NewPrice => ({
  tier: null,
  from,
  price: { prices: { input, output: 1 }, above: [] },
});

async function read() {
  const { client, documentClient } = database;
  const meter = meterReads(client);
  const snapshot = await readCustomPricesForModels({ client: documentClient, tableName }, 'org_own', models);
  const inputs = models.map((model) => {
    const { organization, all } = snapshot.find('org_own', model);
    return [organization, all].map((prices) => prices.map((each) => each.price?.prices.input));
  });
  return { inputs, commands: meter.take() };
}

it('reads the prices of the models for the organization, even if a page of a scan has not all prices', async () => {
  await set('openai/a', null, price(1));
  await set('openai/a', 'org_own', price(2));
  await set('openai/b', 'org_own', price(3));
  await set('openai/b', 'org_other', price(4));
  const expected = [
    [[2], [1]],
    [[3], []],
    [[], []],
  ];

  const few = await read();
  for (const scope of ['org_1', 'org_2', 'org_3', 'org_4']) {
    const Item = { model: 'openai/c', scope, padding: 'x'.repeat(300_000) };
    await database.documentClient.send(new PutCommand({ TableName: tableName, Item }));
  }
  const paged = await read();

  expect(few.inputs).toEqual(expected);
  expect(paged.inputs).toEqual(expected);
  expect([few.commands.length, paged.commands.length]).toEqual([1, 2]);
});
