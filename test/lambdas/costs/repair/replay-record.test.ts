import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { replayRecord } from '#lambdas/costs/repair/replay-record.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { quarantineKey } from '#lambdas/costs/rollups/quarantine.ts';
import { type RollupRecord, toRowUpdates } from '#lambdas/costs/rollups/row-updates.ts';
import { stateKey } from '#lambdas/costs/rollups/state.ts';
import { addTotals, noTotals } from '#lambdas/costs/rollups/totals.ts';
import { createCostRollupWriter } from '#lambdas/costs/rollups/writer.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { createCostRollupReader } from '#lambdas/reports/rollup-reader.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads } from '#test/support/dynamodb/read-meter.ts';
import { createRollupsTable } from '#test/support/dynamodb/rollups-table.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { startRun } from '../rollups/support/interruptible-run.ts';

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

let recordCount = 0;
function createRecord(fields: Partial<RollupRecord> = {}): RollupRecord {
  const entry = logEntry({ id: createLogId(createdMs), organization_id, user_id: 'Ada' });
  return { sequenceNumber: String(++recordCount), entry, before: null, writtenAtMs, ...fields };
}

const pauses: number[] = [];
const createDependencies = (client = table.client) => ({
  costRollups: { ...table, client },
  budgetCounters: { client, tableName: 'BudgetCounters' },
  now: () => new Date(nowMs),
  pause: async () => void pauses.push(1),
});
const replay = (record: RollupRecord) => replayRecord(createDependencies(), { shardId, record });
const putState = (state: object) =>
  table.client.send(
    new PutCommand({ TableName: table.tableName, Item: { ...stateKey(organization_id), ...state } }),
  );

async function readSum(generation: number, dimension: 'totals' | 'user_id' = 'totals') {
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

it('adds a record exactly once to every row, although their watermarks have passed it', async () => {
  const [record, later] = [createRecord(), createRecord()];
  await createCostRollupWriter(table, () => new Date(nowMs)).add(
    shardId,
    toRowUpdates([later], () => [0]),
  );
  expect([await replay(record), await replay(record)]).toEqual(['added', 'added before']);
  expect([await readSum(0), await readSum(0, 'user_id')]).toEqual(['2 for 0.00944', '2 for 0.00944']);
});

it('uses consistent reads', async () => {
  const meter = meterReads(database.client);
  await replay(createRecord());
  const reads = meter.take().filter(({ input }) => 'Key' in input);
  expect(reads.map(({ input }) => input.ConsistentRead)).toEqual([true, true, true]);
});

it('adds the difference of a changed entry', async () => {
  const record = createRecord();
  const before = { ...record.entry, cost_usd: '0.004' };
  expect(await replay({ ...record, before })).toBe('added');
  expect(await readSum(0)).toBe('0 for 0.00072');
});

it('marks a record without rollup rows as replayed', async () => {
  const record = createRecord({ entry: logEntry({ organization_id, outcome: 'rejected' }) });
  expect([await replay(record), await replay(record)]).toEqual(['added', 'added before']);
});

const rebuildItem = (from_ms: number, counts_from_ms: number) => ({
  generation: 4,
  from_ms,
  counts_from_ms,
  counts_until_ms: nowMs,
  run_ms: nowMs,
  run_of_all: false,
});

it.each([
  ['to the active generation', { generation: 3, from_ms: 1 }, 'added', [3]],
  [
    'only to the active generation while a rebuild counts the entry',
    { generation: 3, from_ms: 1, rebuild: rebuildItem(nowMs, createdMs) },
    'added',
    [3],
  ],
  [
    'to both generations when it was written after the cutover of a rebuild',
    { generation: 3, from_ms: 1, rebuild: rebuildItem(writtenAtMs, 0) },
    'added',
    [3, 4],
  ],
  [
    'to no generation while rows of its day are being copied',
    { generation: 3, from_ms: 1, rebuild: rebuildItem(nowMs, createdMs + 1) },
    'being rebuilt',
    [],
  ],
  [
    'to no generation after a rebuild that has counted it',
    { generation: 4, from_ms: writtenAtMs + 1, counts_from_ms: createdMs },
    'counted by a rebuild',
    [],
  ],
  [
    'to no generation after a rebuild that has copied its day',
    { generation: 4, from_ms: writtenAtMs + 1, counts_from_ms: createdMs + 1 },
    'copied by a rebuild',
    [],
  ],
  [
    'to the active generation when it was written after its cutover',
    { generation: 4, from_ms: writtenAtMs, counts_from_ms: createdMs + 1 },
    'added',
    [4],
  ],
])('adds a record %s', async (_, state, result, generations) => {
  await putState(state);
  expect(await replay(createRecord())).toBe(result);
  const found = await Promise.all(
    [3, 4].map(async (one) => ((await readSum(one)).startsWith('1') ? [one] : [])),
  );
  expect(found.flat()).toEqual(generations);
});

it('reads the state again when a rebuild ends before the transaction', async () => {
  const record = createRecord();
  const run = await startRun(table.client, (client) =>
    replayRecord(createDependencies(client), { shardId, record }),
  );
  await run.step(0, 'succeeded');
  await run.step(0, 'succeeded');
  await putState({ generation: 1, from_ms: writtenAtMs + 1, counts_from_ms: 0 });
  pauses.length = 0;
  await run.finish();
  expect(run.status).toEqual({ kind: 'returned', result: 'counted by a rebuild' });
  expect([await readSum(0), await readSum(1), pauses]).toEqual(['0 for 0', '0 for 0', [1]]);
});

it('adds a record once in concurrent replays', async () => {
  const record = createRecord();
  const run = await startRun(table.client, (client) =>
    replayRecord(createDependencies(client), { shardId, record }),
  );
  await run.step(0, 'succeeded');
  await run.step(0, 'succeeded');
  expect(await replay(record)).toBe('added');
  await run.finish();
  expect(run.status).toEqual({ kind: 'returned', result: 'added before' });
  expect(await readSum(0)).toBe('1 for 0.00472');
});

function withCanceledTransaction(...codes: string[]): DynamoDBDocumentClient {
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
  'retries after a pause when the transaction conflicts with another write (%s)',
  async (...codes) => {
    pauses.length = 0;
    const dependencies = createDependencies(withCanceledTransaction(...codes));
    expect(await replayRecord(dependencies, { shardId, record: createRecord() })).toBe('added');
    expect([await readSum(0), pauses]).toEqual(['1 for 0.00472', [1]]);
  },
);

it('rejects when the transaction is invalid', async () => {
  const dependencies = createDependencies(withCanceledTransaction('None', 'ValidationError'));
  await expect(replayRecord(dependencies, { shardId, record: createRecord() })).rejects.toThrow('canceled');
});

it('rejects when the table does not exist', async () => {
  const dependencies = { ...createDependencies(), costRollups: { ...table, tableName: 'NoSuchTable' } };
  await expect(replayRecord(dependencies, { shardId, record: createRecord() })).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

it('writes a quarantine item that expires after every message', async () => {
  const record = createRecord();
  await replay(record);
  const Key = quarantineKey({ shardId, sequenceNumber: record.sequenceNumber });
  const { Item } = await table.client.send(new GetCommand({ TableName: table.tableName, Key }));
  expect(Item).toEqual({ ...Key, replayed_ms: nowMs, expires_at: nowMs / 1000 + 16 * 86_400 });
});

it('rejects an invalid state with the names of its fields', async () => {
  await putState({ generation: 'one', rebuild: { ...rebuildItem(nowMs, 0), from_ms: -1 } });

  await expect(replay(createRecord())).rejects.toThrow(
    `The rollup state of ${organization_id} has invalid fields (generation, rebuild.from_ms): use the version of the command line that wrote it`,
  );
});
