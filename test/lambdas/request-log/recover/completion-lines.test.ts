/** Tests the recovery of requests from their completion lines, which have the real tokens and cost. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogEntryReader } from '#lambdas/reports/logs/read.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type EntryEvent, entryEvents } from '#lambdas/request-log/recover/log-line.ts';
import { recoverLines } from '#lambdas/request-log/recover/recover-lines.ts';
import { zeroCounts } from '#lambdas/request-log/recover/restore-entry.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';

let database: EmbeddedDynamoDB;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());

const hourMs = 3_600_000;
const nowMs = Date.now();
const windowStartMs = nowMs - 2 * hourMs;
const window = { startMs: windowStartMs, endMs: nowMs - hourMs };

const completed = (receivedAtMs = windowStartMs) =>
  logEntry({ id: createLogId(receivedAtMs), outcome: 'completed', output_tokens: 7, cost_usd: '0.25' });
const placeholderOf = (entry: LogEntry): LogEntry => ({
  ...entry,
  outcome: 'interrupted',
  status: 502,
  output_tokens: null,
  cost_usd: '0',
});
const lineOf = (event: EntryEvent, entry: LogEntry) =>
  JSON.stringify({
    event,
    entry: serializeLogEntry(event === 'request_forwarded' ? placeholderOf(entry) : entry),
  });

async function recover(batches: string[][], { hasQueuedEntries = false } = {}) {
  const tables = await createTables(database);
  const logEntries = {
    client: database.documentClient,
    tableName: tables.logEntries,
    now: () => new Date(nowMs),
  };
  const counts = { ...zeroCounts };
  const restored: [EntryEvent, string][] = [];
  await recoverLines({
    target: {
      logEntries,
      writer: createSdkLogEntryWriter(logEntries, 90),
      retentionDays: 90,
      findPrice: async () => null,
      isDryRun: false,
    },
    source: (async function* () {
      yield* batches;
    })(),
    window,
    processHasExited: false,
    hasQueuedEntries: async () => hasQueuedEntries,
    job: { signal: new AbortController().signal, report: () => {} },
    counts,
    onRestored: ({ event, entry }) => restored.push([event, entry.id]),
  });
  const reader = createLogEntryReader(logEntries);
  return { counts, restored, find: ({ organization_id, id }: LogEntry) => reader.find(organization_id, id) };
}

it.each([
  ['in one batch', (lines: string[]) => [lines]],
  ['in two batches', (lines: string[]) => lines.map((line) => [line])],
  ['with the placeholder last', (lines: string[]) => [lines.toReversed()]],
])('restores a completed request with its tokens and cost, from lines %s', async (_, toBatches) => {
  const entry = completed();

  const { counts, restored, find } = await recover(
    toBatches(entryEvents.map((event) => lineOf(event, entry))),
  );

  expect(counts).toEqual({ ...zeroCounts, lines: 2, restored: 1 });
  expect(restored).toEqual([['request_completed', entry.id]]);
  expect(await find(entry)).toEqual(entry);
});

it('restores a request without a completion line as interrupted', async () => {
  const entry = completed();

  const { counts, restored, find } = await recover([[lineOf('request_forwarded', entry)]]);

  expect(counts).toEqual({ ...zeroCounts, lines: 1, restored: 1, interrupted: 1 });
  expect(restored).toEqual([['request_forwarded', entry.id]]);
  expect(await find(entry)).toEqual(placeholderOf(entry));
});

it('restores a completed request while entries are in the queue, but no interrupted one', async () => {
  const [complete, unfinished] = [completed(), completed()];
  const lines = [lineOf('request_completed', complete), lineOf('request_forwarded', unfinished)];

  const { counts, find } = await recover([lines], { hasQueuedEntries: true });

  expect(counts).toEqual({ ...zeroCounts, lines: 2, restored: 1, waiting: 1 });
  expect([await find(complete), await find(unfinished)]).toEqual([complete, null]);
});

it('restores only requests that were received in the window, whenever their lines were printed', async () => {
  const entries = [windowStartMs - 1, windowStartMs, window.endMs - 1, window.endMs].map(completed);

  const { restored } = await recover([entries.map((entry) => lineOf('request_completed', entry))]);

  expect(restored.map(([, id]) => id).toSorted()).toEqual([entries[1]?.id, entries[2]?.id].toSorted());
});
