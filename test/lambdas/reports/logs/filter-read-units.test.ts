/** The read units of filters that rollups help to find, as counted by the embedded database. */
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { meterReads, type ReadMeter } from '#test/support/dynamodb/read-meter.ts';
import { logEntry } from '#test/support/log-entries.ts';
import {
  type Caller,
  type ReportFixture,
  startReportFixture,
  streamRecord,
} from '#test/support/reports/fixture.ts';

const nowMs = Date.UTC(2026, 0, 31, 12, 30);
const hourMs = 3_600_000;
const hours = 240;
const entriesPerHour = 10;

let reports: ReportFixture;
let caller: Caller;
let meter: ReadMeter;
beforeAll(async () => {
  reports = await startReportFixture();
  reports.setTime(new Date(nowMs));
  const { client, documentClient } = reports.database;
  const { logEntries } = reports.tables;
  // The embedded database slows down with the length of the stream, which this test does not need.
  await client.send(
    new UpdateTableCommand({ TableName: logEntries, StreamSpecification: { StreamEnabled: false } }),
  );
  caller = await reports.newCaller();
  const entries = Array.from({ length: hours * entriesPerHour }, (_, index) => {
    const createdMs = nowMs - index * (hourMs / entriesPerHour) - 1000;
    return entryAt(createdMs, index);
  });
  for (let from = 0; from < entries.length; from += 25) {
    const requests = entries.slice(from, from + 25).map((entry) => {
      const times = { writtenAtMs: Date.parse(entry.created_at), expiresAtSeconds: 2 ** 32 };
      return { PutRequest: { Item: toItem(entry, times) } };
    });
    await documentClient.send(new BatchWriteCommand({ RequestItems: { [logEntries]: requests } }));
  }
  await reports.rollupHandler({
    shardId: 'shardId-1',
    Records: entries.toReversed().map((entry, index) => streamRecord(entry, index + 1)),
  });
  meter = meterReads(client);
});
afterAll(() => reports.stop());

/** Two entries are of another key, and two others have timed out. */
function entryAt(createdMs: number, index: number): LogEntry {
  const isSparse = index === 500 || index === 1500;
  const isTimeout = index === 900 || index === 910;
  return logEntry({
    id: createLogId(createdMs),
    organization_id: caller.organizationId,
    latency_ms: 0,
    api_key_id: isSparse ? 'key_sparse' : 'key_dense',
    ...(isTimeout && { outcome: 'timeout', status: 504, error_code: 'provider_timeout' }),
  });
}

async function read(query: string) {
  meter.take();
  const { body } = await reports.get('logs', { caller, query });
  const { data, has_more } = body as { data: unknown[]; has_more: boolean };
  const reads = meter.take();
  const sum = (kept: typeof reads) => kept.reduce((total, { units }) => total + units, 0);
  const isRollupRead = ({ input }: (typeof reads)[number]) => input.TableName === reports.tables.costRollups;
  return {
    listed: data.length,
    hasMore: has_more,
    entryUnits: sum(reads.filter((each) => !isRollupRead(each) && each.input.Limit !== undefined)),
    rollupUnits: sum(reads.filter(isRollupRead)),
  };
}

describe('Read units of filters that rollups help to find', () => {
  it.each([
    ['api_key_id=key_sparse', { listed: 2, entryUnits: 6.5, rollupUnits: 61 }],
    ['outcome=timeout', { listed: 2, entryUnits: 6.5, rollupUnits: 7 }],
    ['error_code=provider_timeout', { listed: 2, entryUnits: 6.5, rollupUnits: 37 }],
    ['api_key_id=key_sparse&outcome=completed', { listed: 2, entryUnits: 6.5, rollupUnits: 61 }],
    ['api_key_id=unknown', { listed: 0, entryUnits: 4.5, rollupUnits: 13 }],
  ])('are those of the matching hours and of the last ones for %s', async (query, expected) => {
    expect(await read(query)).toEqual({ ...expected, hasMore: false });
  });

  it('are those of the listed entries for a frequent value', async () => {
    const { listed, rollupUnits, entryUnits } = await read('api_key_id=key_dense&limit=10');
    const unfiltered = await read('limit=10');
    expect([listed, rollupUnits, entryUnits]).toEqual([10, 0, unfiltered.entryUnits]);
  });
});
