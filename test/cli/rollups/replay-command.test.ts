import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { createRollupDeadLetterQueue } from '#lambdas/costs/rollups/quarantine.ts';
import { stateKey } from '#lambdas/costs/rollups/state.ts';
import { addTotals, noTotals } from '#lambdas/costs/rollups/totals.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { createCostRollupReader } from '#lambdas/reports/rollup-reader.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';

const shardId = 'shardId-00001-abcd';
const writtenAtMs = Date.UTC(2026, 0, 31, 9, 30, 5);

let gateway: AdminFixture;
let organizationId: string;
// Each test needs empty queues.
beforeEach(async () => {
  await gateway?.stop();
  gateway = await startAdminFixture();
  organizationId = await newOrganization('2026-01-01T00:00:00.000Z');
});
afterAll(() => gateway?.stop());

async function newOrganization(created_at: string): Promise<string> {
  const id = newOrganizationId();
  await gateway.directory.createOrganization({ id, name: 'Acme', created_at, log_shards: 1 }, gateway.audit);
  return id;
}

const rollups = () => ({
  client: gateway.database.documentClient,
  tableName: gateway.tables.costRollups,
});

function insertion(sequenceNumber: number, fields: Partial<LogEntry> = {}): DynamoDBRecord {
  const entry = logEntry({ id: createLogId(writtenAtMs - 5000), organization_id: organizationId, ...fields });
  const NewImage = marshall(toItem(entry, { writtenAtMs, expiresAtSeconds: 0 })) as Record<string, never>;
  return {
    eventID: `event-${sequenceNumber}`,
    eventName: 'INSERT',
    dynamodb: { SequenceNumber: String(sequenceNumber), NewImage },
  };
}

/** Sends records to the dead-letter queue like the rollup function. */
async function sendRecords(...records: DynamoDBRecord[]): Promise<void> {
  const send = (_: string, message: object) => gateway.queues.rollupDeadLetters.send(message);
  const deadLetters = createRollupDeadLetterQueue({ queueUrl: '', sender: { send } });
  await deadLetters.send(shardId, records);
}

/** The message that Lambda sends for a batch that it has discarded. */
const discardedBatch = {
  requestContext: { condition: 'RecordAgeExceeded', approximateInvokeCount: 12 },
  version: '1.0',
  timestamp: '2026-02-01T09:00:00.000Z',
  DDBStreamBatchInfo: {
    shardId,
    startSequenceNumber: '100',
    endSequenceNumber: '102',
    approximateArrivalOfFirstRecord: '2026-01-31T09:30:05Z',
    approximateArrivalOfLastRecord: '2026-01-31T09:31:00Z',
    batchSize: 3,
    streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/LogEntries/stream/1',
  },
};

async function rollupTotals(): Promise<string> {
  const range = {
    organizationId,
    generation: 0,
    dimension: 'totals',
    period: 'day',
    writeShards: 1,
  } as const;
  const rows = await Array.fromAsync(createCostRollupReader(rollups()).read({ ...range, window: allTime }));
  const { requests, cost_usd } = rows.map(({ totals }) => totals).reduce(addTotals, noTotals);
  return `${requests} for ${cost_usd}`;
}

const replay = (...options: string[]) => gateway.run(['rollups', 'replay', ...options]);
const noCounts = { added: 0, added_before: 0, counted_by_rebuild: 0, discarded: 0, left: [] };
const remainingMessages = () => gateway.queues.rollupDeadLetters.visible();

describe('rollups replay', () => {
  it('succeeds when the queue is empty', async () => {
    expect(await replay()).toEqual({
      exitCode: 0,
      stdout: '0 records added, 0 already added, 0 already counted by a rebuild, 0 discarded, 0 remaining.\n',
      stderr: '',
    });
  });

  it('adds each record once, even when the queue contains it repeatedly, and empties the queue', async () => {
    const records = Array.from({ length: 12 }, (_, index) => insertion(100 + index));
    await sendRecords(...records, ...records.slice(0, 3));

    const { exitCode, stdout, stderr } = await replay('--json');

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ ...noCounts, added: 12, added_before: 3 });
    expect([await rollupTotals(), await remainingMessages()]).toEqual(['12 for 0.05664', 0]);
  });

  it('adds a record that an earlier version quarantined between records that it counted', async () => {
    const records = [100, 101, 102].map((number) => insertion(number));
    const handler = rollupFunction({
      table: rollups(),
      now: () => new Date(writtenAtMs),
      deadLetters: { send: (_, quarantine) => sendRecords(...quarantine) },
      readRecord() {
        throw new Error('An earlier version');
      },
    });
    await handler({ shardId, Records: records.slice(1, 2) });
    await rollupFunction({ table: rollups(), now: () => new Date(writtenAtMs) })({
      shardId,
      Records: [...records.slice(0, 1), ...records.slice(2)],
    });
    expect(await rollupTotals()).toBe('2 for 0.00944');

    expect((await replay()).exitCode).toBe(0);

    expect(await rollupTotals()).toBe('3 for 0.01416');
  });

  it('keeps messages that it cannot read, reports the reason without their content and makes them visible again', async () => {
    const secret = { NewImage: { id: { S: 'secret' } } };
    await sendRecords(insertion(100), {
      ...insertion(101),
      dynamodb: { SequenceNumber: '101', ...secret },
    });
    await gateway.queues.rollupDeadLetters.send('secret');
    await gateway.queues.rollupDeadLetters.send({ kind: 'stream_record', shardId, record: {} });
    await sendRecords({
      ...insertion(102),
      dynamodb: { SequenceNumber: '102', NewImage: { id: { S: 'x'.repeat(50_000) } } },
    });

    const text = await replay();
    const json = await replay('--json');

    expect(text).toMatchObject({ exitCode: 1, stderr: 'error: 4 messages remain in the queue\n' });
    expect(text.stdout).toMatch(/^1 records added, .* 4 remaining\.\n\nMESSAGE +SHARD +RECORD +REASON\n/);
    expect(text.stdout + json.stdout).not.toContain('secret');
    const { left: messages, ...counts } = JSON.parse(json.stdout);
    expect({ ...counts, left: [] }).toEqual(noCounts);
    const reasons = messages.map((message: Record<string, string>) => [
      message.sequence_number,
      message.reason,
    ]);
    expect(new Set(reasons)).toEqual(
      new Set([
        ['101', 'it cannot be read (Error)'],
        ['102', 'its content did not fit into a queue message'],
        [null, 'it is not a message from the rollup function or Lambda'],
        [null, 'it is not a message from the rollup function or Lambda'],
      ]),
    );
    expect([await rollupTotals(), await remainingMessages()]).toEqual(['1 for 0.00472', 4]);
  });

  it('deletes with --discard only the messages that can never be counted', async () => {
    await sendRecords({ ...insertion(101), dynamodb: { SequenceNumber: '101' } });
    await gateway.queues.rollupDeadLetters.send('secret');
    await gateway.queues.rollupDeadLetters.send(discardedBatch);
    await write();

    const { exitCode, stdout } = await replay('--discard', '--json');

    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      discarded: 2,
      left: [{ reason: expect.stringMatching(/^Lambda discarded/) }],
    });
    expect(await remainingMessages()).toBe(1);
  });

  it('keeps a record whose rows a rebuild is copying, even with --discard', async () => {
    const rebuild = {
      generation: 1,
      from_ms: writtenAtMs + 1,
      counts_from_ms: writtenAtMs,
      counts_until_ms: writtenAtMs,
      run_ms: writtenAtMs,
      run_of_all: false,
    };
    await putState({ generation: 0, from_ms: 0, rebuild });
    await sendRecords(insertion(100));

    const { exitCode, stdout } = await replay('--discard', '--json');

    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).left).toMatchObject([
      {
        sequence_number: '100',
        reason:
          'a rebuild is copying the rows of its day: run this command again after "rollups rebuild" has finished',
      },
    ]);
  });

  it('deletes messages of records that a rebuild has counted', async () => {
    await putState({ generation: 1, from_ms: writtenAtMs + 1, counts_from_ms: 0 });
    await sendRecords(insertion(100));

    const { stdout } = await replay('--json');

    expect(JSON.parse(stdout)).toEqual({ ...noCounts, counted_by_rebuild: 1 });
    expect([await rollupTotals(), await remainingMessages()]).toEqual(['0 for 0', 0]);
  });
});

describe('rollups replay, for batches discarded by Lambda', () => {
  const reason = (id: string) =>
    `Lambda discarded 3 records of 2026-01-31T09:30:05.000Z to 2026-01-31T09:31:00.000Z: "rollups rebuild" counts them (not rebuilt since: ${id})`;

  it('lists the affected organizations and deletes the message once they are rebuilt', async () => {
    await write(await newOrganization('2026-01-31T09:32:01.000Z'));
    await newOrganization('2026-01-01T00:00:00.000Z');
    await write();
    await gateway.queues.rollupDeadLetters.send(discardedBatch);

    const before = await replay('--json');
    await putState({ generation: 1, from_ms: Date.UTC(2026, 0, 31, 9, 32, 1), counts_from_ms: 0 });
    const after = await replay('--json');

    expect(before.exitCode).toBe(1);
    expect(JSON.parse(before.stdout).left).toEqual([
      {
        message_id: expect.any(String),
        shard_id: shardId,
        sequence_number: null,
        reason: reason(organizationId),
      },
    ]);
    expect(JSON.parse(after.stdout)).toEqual({ ...noCounts, counted_by_rebuild: 1 });
    expect(await remainingMessages()).toBe(0);
  });

  it.each([
    ['started too early to count all records', { from_ms: Date.UTC(2026, 0, 31, 9, 32), counts_from_ms: 0 }],
    [
      'copied some of the records',
      { from_ms: Date.UTC(2026, 1, 1), counts_from_ms: Date.UTC(2026, 0, 31, 9, 15, 6) },
    ],
  ])('keeps the message after a rebuild that %s', async (_, state) => {
    await write();
    await gateway.queues.rollupDeadLetters.send(discardedBatch);
    await putState({ generation: 1, ...state });

    const { stdout } = await replay('--json');

    expect(JSON.parse(stdout).left).toMatchObject([{ reason: reason(organizationId) }]);
  });
});

async function write(organization_id = organizationId): Promise<void> {
  const table = { client: gateway.database.documentClient, tableName: gateway.tables.logEntries };
  const entry = logEntry({ id: createLogId(writtenAtMs), organization_id });
  await createSdkLogEntryWriter({ ...table, now: () => new Date(writtenAtMs) }, 90).put(entry);
}

const putState = (state: object) =>
  rollups().client.send(
    new PutCommand({ TableName: rollups().tableName, Item: { ...stateKey(organizationId), ...state } }),
  );
