import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRestoredEntryWriter, findOldestRestored } from '#lambdas/costs/restored-entries.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { readMonthCosts } from '#lambdas/reports/costs/month-costs.ts';
import { parseCostQuery } from '#lambdas/reports/costs/query.ts';
import { readCosts } from '#lambdas/reports/costs/read.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { changePrice } from '#lambdas/request-log/table/change-price.ts';
import { findStoredEntry } from '#lambdas/request-log/table/existence.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createFailingClient, sendWithFailure } from '#test/support/dynamodb/failing-client.ts';
import { openStreamTail, type StreamTail } from '#test/support/dynamodb/stream-tail.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { costDependencies } from '#test/support/reports/cost-dependencies.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';

const organizationId = 'org_AAAAAAAAAAAAAAAA';
const nowMs = Date.UTC(2026, 1, 20, 12);
const lostMs = Date.UTC(2026, 0, 31, 23, 59, 59);
const now = () => new Date(nowMs);

let database: EmbeddedDynamoDB;
let tables: TestTables;
let tail: StreamTail;
let delivered = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
beforeEach(async () => {
  tables = await createTables(database);
  tail = await openStreamTail(database.endpoint, tables.logEntriesStreamArn);
  delivered = 0;
});
afterEach(() => tail.stop());
afterAll(() => database.stop());

function tablesOf(client = database.documentClient) {
  return {
    logEntries: { client, tableName: tables.logEntries, now },
    costRollups: { client, tableName: tables.costRollups },
  };
}

const restore = (entry: LogEntry, client = database.documentClient) =>
  createRestoredEntryWriter(tablesOf(client), 90).put(entry);

const write = (entry: LogEntry) => createSdkLogEntryWriter(tablesOf().logEntries, 90).put(entry);

/** Counts the next records of the stream; all by default. */
async function count(records = Number.POSITIVE_INFINITY): Promise<void> {
  const { costRollups } = tablesOf();
  const batch = (await tail.read()).slice(delivered, delivered + records);
  delivered += batch.length;
  await rollupFunction({ table: costRollups, now })({
    shardId: tail.shardId,
    Records: batch as DynamoDBRecord[],
  });
}

const oldestRestored = (writtenBeforeMs = nowMs + 1, at = now()) =>
  findOldestRestored(tablesOf().costRollups, organizationId, { writtenBeforeMs, now: at });

const lost = (fields: Partial<LogEntry> = {}) => logEntry({ id: createLogId(lostMs), ...fields });

describe('A restored entry', () => {
  it('is marked until it has been counted', async () => {
    await restore(lost());
    await restore(lost({ id: createLogId(lostMs + 1) }));

    expect(await oldestRestored()).toBe(lostMs);
    await count(1);
    expect(await oldestRestored()).toBe(lostMs + 1);
    await count(1);
    expect(await oldestRestored()).toBeNull();
  });

  it('is marked neither for other organizations, nor when it was restored from a given time on, nor after a day', async () => {
    await restore(lost({ organization_id: 'org_BBBBBBBBBBBBBBBB' }));
    expect(await oldestRestored()).toBeNull();
    await restore(lost());

    expect(await oldestRestored(nowMs)).toBeNull();
    // One update of the state covers the entries of an hour.
    expect(await findRollupState(tablesOf().costRollups, organizationId)).toMatchObject({
      restoredUntilMs: nowMs + 25 * 3_600_000,
    });
    expect(await oldestRestored(nowMs + 1, new Date(nowMs + 86_399_999))).toBe(lostMs);
    // The stream keeps its record for a day.
    expect(await oldestRestored(nowMs + 1, new Date(nowMs + 86_400_000))).toBeNull();
  });

  it('is not marked if it was in the table already', async () => {
    const entry = lost();
    await write(entry);
    await restore(entry);

    expect(await oldestRestored()).toBeNull();
  });

  it('keeps its mark when its placeholder is counted that it has replaced', async () => {
    const entry = lost();
    await restore({ ...entry, outcome: 'interrupted', error_code: 'interrupted' });
    const later = { ...tablesOf().logEntries, now: () => new Date(nowMs + 1) };
    await createRestoredEntryWriter({ ...tablesOf(), logEntries: later }, 90).put(entry);

    await count(1);
    expect(await oldestRestored(nowMs + 2)).toBe(lostMs);
    await count(1);
    expect(await oldestRestored(nowMs + 2)).toBeNull();
  });

  it('is no longer a restored one after a change of its price', async () => {
    const entry = lost();
    await restore(entry);
    const stored = await findStoredEntry(tablesOf().logEntries, entry);
    if (stored === null) throw new Error('The entry is missing');
    const price = { cost_usd: '7', pricing: 'table', pricing_version: '1', pricing_gaps: null } as const;
    await changePrice(tablesOf().logEntries, { stored, price, writtenAtMs: nowMs + 1 });

    expect(stored.isRestored).toBe(true);
    expect((await findStoredEntry(tablesOf().logEntries, entry))?.isRestored).toBeUndefined();
  });

  it('is written once by concurrent processes', async () => {
    const entry = lost();
    await Promise.all([restore(entry), restore(entry), restore(entry)]);
    await count();

    expect(delivered).toBe(1);
    expect(await oldestRestored()).toBeNull();
  });

  it.each([
    ['not sent', { isStored: false, mark: null }],
    ['response lost', { isStored: true, mark: lostMs }],
  ] as const)(
    'is in the table exactly if it is marked, when the process is killed: %s',
    async (failure, expected) => {
      const entry = lost();
      const { client, stop } = createFailingClient({
        endpoint: database.endpoint,
        maxAttempts: 1,
        attempt: (send, operation) =>
          sendWithFailure(send, operation.startsWith('TransactWrite') ? failure : null),
      });
      await expect(restore(entry, client)).rejects.toThrow('socket hang up');
      stop();

      const stored = await findStoredEntry(tablesOf().logEntries, entry);
      expect({ isStored: stored !== null, mark: await oldestRestored() }).toEqual(expected);
    },
  );
});

describe('Reports of an organization with a restored entry that has not been counted', () => {
  const january = { startMs: Date.UTC(2026, 0), endMs: Date.UTC(2026, 1) };
  const december = { startMs: Date.UTC(2025, 11), endMs: Date.UTC(2026, 0) };

  async function readReports() {
    const reportTables = { ...tables, client: database.documentClient };
    const dependencies = costDependencies(reportTables, { logShardsOf: async () => 1, now });
    const { completeUntilMs } = await readCosts(dependencies, organizationId, parseCostQuery({}, now()));
    const isFinal = async (month: typeof january) =>
      (await readMonthCosts(dependencies, organizationId, month)).isFinal;
    return { completeUntilMs, january: await isFinal(january), december: await isFinal(december) };
  }

  it('are complete until its request was received, and their months are not final', async () => {
    const entry = lost();
    await write(logEntry({ id: createLogId(nowMs - 10_000) }));
    await count();
    await restore(entry);

    expect(await readReports()).toEqual({
      completeUntilMs: timestampOfLogId(entry.id),
      january: false,
      december: true,
    });
    await count();
    expect(await readReports()).toEqual({ completeUntilMs: nowMs, january: true, december: true });
  });
});
