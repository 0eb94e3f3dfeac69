import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { replayRecord } from '#lambdas/costs/repair/replay-record.ts';
import { createCostRollupReader } from '#lambdas/costs/report/rollup-reader.ts';
import { type RollupRecord, rowAdditionsOf } from '#lambdas/costs/rollups/increments.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { quarantineKey } from '#lambdas/costs/rollups/quarantine.ts';
import { stateKey } from '#lambdas/costs/rollups/state.ts';
import { addTotals, noTotals } from '#lambdas/costs/rollups/totals.ts';
import { createCostRollupWriter } from '#lambdas/costs/rollups/writer.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { meterReads } from '#test/support/read-meter.ts';
import { createRollupsTable } from '#test/support/rollups-table.ts';
import { startRun } from '../rollups/interrupted-run.ts';

const createdMs = Date.UTC(2026, 0, 31, 9, 30);
const writtenAtMs = createdMs + 5000;
const nowMs = createdMs + 3_600_000;
const shardId = 'shardId-1';

let database: EmbeddedDynamoDB;
let table: CostRollupsTable;
let organization_id = '';
let organizations = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  table = await createRollupsTable(database);
});
beforeEach(() => {
  organization_id = `org_${++organizations}`;
});
afterAll(() => database.stop());

let records = 0;
function recordOf(fields: Partial<RollupRecord> = {}): RollupRecord {
  const entry = logEntry({ id: createLogId(createdMs), organization_id, user_id: 'Ada' });
  return { sequenceNumber: String(++records), entry, before: null, writtenAtMs, ...fields };
}

const pauses: number[] = [];
const partsWith = (client = table.client) => ({
  costRollups: { ...table, client },
  now: () => new Date(nowMs),
  pause: async () => void pauses.push(1),
});
const replay = (record: RollupRecord) => replayRecord(partsWith(), { shardId, record });
const putState = (state: object) =>
  table.client.send(
    new PutCommand({ TableName: table.tableName, Item: { ...stateKey(organization_id), ...state } }),
  );

async function sumOf(generation: number, dimension: 'model' | 'user_id' = 'model') {
  const range = {
    organizationId: organization_id,
    generation,
    dimension,
    period: 'day',
    writeShards: 1,
  } as const;
  const rows = await Array.fromAsync(createCostRollupReader(table).read({ ...range, window: allTime }));
  const { requests, cost_usd } = rows.map(({ totals }) => totals).reduce(addTotals, noTotals);
  return `${requests} for ${cost_usd}`;
}

it('adds a record to every row though their watermarks have passed it, and once', async () => {
  const [record, later] = [recordOf(), recordOf()];
  await createCostRollupWriter(table, () => new Date(nowMs)).add(
    shardId,
    rowAdditionsOf([later], () => [0]),
  );
  expect([await replay(record), await replay(record)]).toEqual(['added', 'added before']);
  expect([await sumOf(0), await sumOf(0, 'user_id')]).toEqual(['2 for 0.00944', '2 for 0.00944']);
});

it('reads consistently what it goes by', async () => {
  const meter = meterReads(database.client);
  await replay(recordOf());
  const reads = meter.take().filter(({ input }) => 'Key' in input);
  expect(reads.map(({ input }) => input.ConsistentRead)).toEqual([true, true]);
});

it('adds the difference of an entry that was written again', async () => {
  const record = recordOf();
  const before = { ...record.entry, cost_usd: '0.004' };
  expect(await replay({ ...record, before })).toBe('added');
  expect(await sumOf(0)).toBe('0 for 0.00072');
});

it('notes a record that counts nowhere', async () => {
  const record = recordOf({ entry: logEntry({ organization_id, outcome: 'rejected' }) });
  expect([await replay(record), await replay(record)]).toEqual(['added', 'added before']);
});

const rebuildItem = (from_ms: number, counts_from_ms: number) => ({
  ...{ generation: 4, from_ms, counts_from_ms, counts_until_ms: nowMs },
  ...{ run_ms: nowMs, run_of_all: false },
});

it.each([
  ['to the generation that is read', { generation: 3, from_ms: 1 }, 'added', [3]],
  [
    'to that one alone while another is being built that counts the entry',
    { generation: 3, from_ms: 1, rebuild: rebuildItem(nowMs, createdMs) },
    'added',
    [3],
  ],
  [
    'to both when it was written after the rebuild began',
    { generation: 3, from_ms: 1, rebuild: rebuildItem(writtenAtMs, 0) },
    'added',
    [3, 4],
  ],
  [
    'to neither while rows of its day are being copied',
    { generation: 3, from_ms: 1, rebuild: rebuildItem(nowMs, createdMs + 1) },
    'being rebuilt',
    [],
  ],
  [
    'nowhere after a rebuild that has counted it',
    { generation: 4, from_ms: writtenAtMs + 1, counts_from_ms: createdMs },
    'counted by a rebuild',
    [],
  ],
  [
    'nowhere after a rebuild that has copied its day',
    { generation: 4, from_ms: writtenAtMs + 1, counts_from_ms: createdMs + 1 },
    'copied by a rebuild',
    [],
  ],
  [
    'to the generation that is read when it was written after its rebuild began',
    { generation: 4, from_ms: writtenAtMs, counts_from_ms: createdMs + 1 },
    'added',
    [4],
  ],
])('adds %s', async (_, state, result, generations) => {
  await putState(state);
  expect(await replay(recordOf())).toBe(result);
  const found = await Promise.all(
    [3, 4].map(async (one) => ((await sumOf(one)).startsWith('1') ? [one] : [])),
  );
  expect(found.flat()).toEqual(generations);
});

it('looks again when a rebuild begins or ends after it has looked', async () => {
  const record = recordOf();
  const run = await startRun(table.client, (client) => replayRecord(partsWith(client), { shardId, record }));
  await run.step(0, 'answered');
  await run.step(0, 'answered');
  await putState({ generation: 1, from_ms: writtenAtMs + 1, counts_from_ms: 0 });
  pauses.length = 0;
  await run.finish();
  expect(run.outcome).toEqual({ kind: 'returned', result: 'counted by a rebuild' });
  expect([await sumOf(0), await sumOf(1), pauses]).toEqual(['0 for 0', '0 for 0', [1]]);
});

it('adds once when two do it at the same moment', async () => {
  const record = recordOf();
  const run = await startRun(table.client, (client) => replayRecord(partsWith(client), { shardId, record }));
  await run.step(0, 'answered');
  await run.step(0, 'answered');
  expect(await replay(record)).toBe('added');
  await run.finish();
  expect(run.outcome).toEqual({ kind: 'returned', result: 'added before' });
  expect(await sumOf(0)).toBe('1 for 0.00472');
});

/** Whose first transaction is canceled for these reasons. */
function cancelingOnce(...codes: string[]): DynamoDBDocumentClient {
  let isCanceled = false;
  const send: DynamoDBDocumentClient['send'] = async (command: Parameters<typeof table.client.send>[0]) => {
    if (!(command instanceof TransactWriteCommand) || isCanceled) return table.client.send(command);
    isCanceled = true;
    const CancellationReasons = codes.map((Code) => ({ Code }));
    throw new TransactionCanceledException({ CancellationReasons, $metadata: {}, message: 'canceled' });
  };
  return Object.create(table.client, { send: { value: send } });
}

it.each([['TransactionConflict'], ['ThrottlingError', 'None']])(
  'tries again after a pause when another write is in the way (%s)',
  async (...codes) => {
    pauses.length = 0;
    const parts = partsWith(cancelingOnce(...codes));
    expect(await replayRecord(parts, { shardId, record: recordOf() })).toBe('added');
    expect([await sumOf(0), pauses]).toEqual(['1 for 0.00472', [1]]);
  },
);

it('fails where a row does not take what is to be added', async () => {
  const parts = partsWith(cancelingOnce('None', 'ValidationError'));
  await expect(replayRecord(parts, { shardId, record: recordOf() })).rejects.toThrow('canceled');
});

it('fails where the table fails', async () => {
  const parts = { ...partsWith(), costRollups: { ...table, tableName: 'NoSuchTable' } };
  await expect(replayRecord(parts, { shardId, record: recordOf() })).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

it('leaves a note that outlives every message, and expires', async () => {
  const record = recordOf();
  await replay(record);
  const Key = quarantineKey({ shardId, sequenceNumber: record.sequenceNumber });
  const { Item } = await table.client.send(new GetCommand({ TableName: table.tableName, Key }));
  expect(Item).toEqual({ ...Key, replayed_ms: nowMs, expires_at: nowMs / 1000 + 16 * 86_400 });
});

it('refuses a state that this version cannot read, with the names of its fields', async () => {
  await putState({ generation: 'one', rebuild: { ...rebuildItem(nowMs, 0), from_ms: -1 } });

  await expect(replay(recordOf())).rejects.toThrow(
    `The rollup state of ${organization_id} has invalid fields (generation, rebuild.from_ms): use the version of the command line that wrote it`,
  );
});
