import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callMs } from '#bench/keys/dynamodb-times.ts';
import { type SimulatedTime, simulateTime } from '#bench/keys/simulated-time.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';

let database: EmbeddedDynamoDB;
let time: SimulatedTime;
let TableName: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  ({ name: TableName } = await createTable(database.client, 'Simulated', { key: ['pk', 'sk'] }));
  time = simulateTime(database.client);
});
afterAll(() => database.stop());

const get = (pk: string) =>
  database.documentClient.send(new GetCommand({ TableName, Key: { pk, sk: 'a' }, ConsistentRead: true }));
const readMs = callMs({ kind: 'reads', units: 1, transactionItems: 0 });
const writeMs = callMs({ kind: 'writes', units: 1, transactionItems: 0 });

it('adds the times of calls that follow each other, and takes the longest of concurrent ones', async () => {
  const { usage } = await time.run(async () => {
    await Promise.all([
      get('first'),
      get('second').then(() => get('third')),
      database.documentClient.send(new PutCommand({ TableName, Item: { pk: 'fourth', sk: 'a' } })),
    ]);
    await get('fifth');
  });

  expect(usage).toMatchObject({ calls: 5, rounds: 3, readUnits: 4, writeUnits: 1 });
  expect(usage.simulatedMs).toBeCloseTo(3 * readMs);
});

it('lets the clock pass while the code waits', async () => {
  const beforeMs = time.nowMs;

  const { result, usage } = await time.run(async () => {
    await time.wait(60_000);
    await get('first');
    return time.nowMs;
  });

  expect(usage.simulatedMs).toBeCloseTo(60_000 + readMs);
  expect(result).toBeCloseTo(beforeMs + 60_000 + readMs);
});

it('delays writes beyond 1,000 units of a partition key in a second', async () => {
  const Item = { pk: 'busy', sk: 'a', text: 'x'.repeat(389 * 1024 + 512) };

  const { usage } = await time.run(async () => {
    for (let call = 0; call < 4; call++) {
      await database.documentClient.send(new PutCommand({ TableName, Item }));
    }
  });

  // 1,000 units are there at first, and one more each millisecond: the fourth call waits until none is owed.
  const owedMs = 3 * 390 - 1000 - 3 * writeMs;
  expect(usage.writeUnits).toBe(4 * 390);
  expect(usage.simulatedMs).toBeCloseTo(4 * writeMs + owedMs);
});

it('takes no time outside of a run, and the time of a call that fails', async () => {
  await get('first');
  const put = new PutCommand({
    TableName,
    Item: { pk: 'first', sk: 'a' },
    ConditionExpression: 'attribute_exists(pk)',
  });

  const { usage } = await time.run(() => database.documentClient.send(put).catch(() => null));

  expect(usage).toMatchObject({ calls: 1, rounds: 1 });
  expect(usage.simulatedMs).toBeCloseTo(writeMs);
});
