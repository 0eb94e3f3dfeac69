/** Property tests of pagination with an embedded table: random entries, shards, conditions, limits and scan limits. */
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LogPage, readLogPage } from '#lambdas/reports/logs/page.ts';
import { parseLogQuery } from '#lambdas/reports/logs/query/query.ts';
import { createLogEntryReader, type LogEntryReader } from '#lambdas/reports/logs/read.ts';
import { maxScannedItems } from '#lambdas/reports/logs/scan.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { type MeteredRead, meterReads, type ReadMeter } from '#test/support/dynamodb/read-meter.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryRollups } from '#test/support/reports/memory-rollups.ts';
import { byTestForm } from '#test/support/test-form.ts';
import {
  type Conditions,
  type EntryFields,
  expectedEntries,
  requestMs,
  type Scenario,
  scenarios,
  startMs,
} from './random-log.ts';

let database: EmbeddedDynamoDB;
let table: LogEntriesTable;
let meter: ReadMeter;
let organizations = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const { logEntries } = await createTables(database);
  // The embedded database slows down with the length of the stream, which this test does not need.
  await database.client.send(
    new UpdateTableCommand({ TableName: logEntries, StreamSpecification: { StreamEnabled: false } }),
  );
  table = { client: database.documentClient, tableName: logEntries, now: () => new Date(requestMs) };
  meter = meterReads(database.client);
});
afterAll(() => database.stop());

async function write(
  organizationId: string,
  fields: EntryFields[],
  range: { fromMs: number; shards: number },
) {
  const written = fields.map(({ atMs, shardSeed, expired, ...values }) => {
    const id = createLogId(range.fromMs + atMs, shardSeed % range.shards);
    return { expired, entry: logEntry({ id, organization_id: organizationId, ...values }) };
  });
  const requests = written.map(({ expired, entry }) => {
    const expiresAtSeconds = Math.floor(requestMs / 1000) + (expired ? 0 : 1);
    return { PutRequest: { Item: toItem(entry, { writtenAtMs: requestMs, expiresAtSeconds }) } };
  });
  for (let from = 0; from < requests.length; from += 25) {
    const RequestItems = { [table.tableName]: requests.slice(from, from + 25) };
    await table.client.send(new BatchWriteCommand({ RequestItems }));
  }
  meter.take();
  return written.filter(({ expired }) => !expired).map(({ entry }) => entry);
}

/** Each run may exceed the scan limit by one read, which was in flight when the page ended. */
function expectScanLimit(reads: MeteredRead[], maxScanned: number) {
  const runs = Map.groupBy(reads, ({ input }) => {
    const { ':highest': _, ...values } = input.ExpressionAttributeValues as Record<string, unknown>;
    return JSON.stringify([input.IndexName, input.FilterExpression, values]);
  });
  const largest = [...runs.values()].map((run) => Math.max(...run.map(({ evaluated }) => evaluated)));
  const evaluated = reads.reduce((sum, read) => sum + read.evaluated, 0);
  expect(evaluated).toBeLessThanOrEqual(maxScanned + largest.reduce((sum, read) => sum + read, 0));
}

/** Counts each item several times, so that a page reaches its scan limit with few items. */
function weightedReader(weight: number): Pick<LogEntryReader, 'readPage'> {
  const reader = createLogEntryReader(table);
  return {
    async readPage(range, before, pageSize) {
      const page = await reader.readPage(range, before, Math.ceil(pageSize / weight));
      return { ...page, scannedCount: page.scannedCount * weight };
    },
  };
}

interface Walk {
  organizationId: string;
  scenario: Scenario;
  conditions: Conditions;
  shards: number;
}

async function readPage(walk: Walk, page: Record<string, string | number | undefined>): Promise<LogPage> {
  const parameters = Object.entries({ ...walk.conditions, ...page }).filter(
    ([, value]) => value !== undefined,
  );
  const query = parseLogQuery(
    walk.organizationId,
    Object.fromEntries(parameters.map(([name, value]) => [name, [String(value)]])),
  );
  const { maxScanned } = walk.scenario;
  const access = { shards: walk.shards, cursorKey: 'a2V5' };
  const logEntries = weightedReader(maxScannedItems / maxScanned);
  const { dependencies } = memoryRollups({ nowMs: requestMs });
  const result = await readLogPage({ ...dependencies, logEntries }, query, access);
  expectScanLimit(meter.take(), maxScanned);
  expect(result.hasMore).toBe(result.nextCursor !== null);
  expect(result.entries.length).toBeLessThanOrEqual(query.limit);
  return result;
}

const limitOf = ({ limits }: Scenario, page: number) => limits[page % limits.length] ?? 1;

/** Reads all pages by cursor, while entries are written and shards are added. */
async function walkByCursor(walk: Walk): Promise<LogEntry[]> {
  const { organizationId, scenario } = walk;
  const found: LogEntry[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; cursor !== null; page += 1) {
    if (page === scenario.addShardsBeforePage) walk.shards = Math.max(walk.shards, scenario.laterShards);
    if (page === scenario.newerBeforePage)
      await write(organizationId, scenario.newer, { fromMs: requestMs, shards: walk.shards });
    if (page === scenario.lateBeforePage)
      await write(organizationId, scenario.late, { fromMs: startMs, shards: walk.shards });
    const result = await readPage(walk, { limit: limitOf(scenario, page), cursor });
    found.push(...result.entries);
    cursor = result.nextCursor;
  }
  return found;
}

/** Reads `limit` entries from an offset on. When a page has fewer, reads the rest by its cursor. */
async function readFrom(walk: Walk, offset: number, limit: number) {
  const first = await readPage(walk, { offset, limit });
  const entries = [...first.entries];
  let cursor = first.nextCursor;
  while (cursor !== null && entries.length < limit) {
    const next = await readPage(walk, { cursor, limit: limit - entries.length });
    entries.push(...next.entries);
    cursor = next.nextCursor;
  }
  return { entries, hasMore: cursor !== null };
}

async function walkByOffset(walk: Walk): Promise<LogEntry[]> {
  const { organizationId, scenario } = walk;
  const found: LogEntry[] = [];
  let hasMore = true;
  for (let page = 0; hasMore; page += 1) {
    if (page === scenario.newerBeforePage)
      await write(organizationId, scenario.newer, { fromMs: requestMs, shards: walk.shards });
    const result = await readFrom(walk, found.length, limitOf(scenario, page));
    found.push(...result.entries);
    hasMore = result.hasMore;
  }
  return found;
}

const idsOf = (entries: LogEntry[]) => entries.map(({ id }) => id);

describe('Pagination', () => {
  const property = (check: (scenario: Scenario, organizationId: string) => Promise<void>) =>
    fc.asyncProperty(scenarios, (scenario) => {
      organizations += 1;
      return check(scenario, `org_${organizations}`);
    });

  it('lists every entry that existed at the start once and newest first when paging by cursor', async () => {
    const pagesByCursor = property(async (scenario, organizationId) => {
      const { shards, conditions } = scenario;
      const initial = await write(organizationId, scenario.entries, { fromMs: startMs, shards });
      const found = await walkByCursor({ organizationId, scenario, conditions, shards });

      const ids = idsOf(found);
      expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
      const initialIds = new Set(idsOf(initial));
      // Late entries with an earlier timestamp are listed if their position has not been read yet.
      const late = found.filter(({ id }) => !initialIds.has(id));
      expect(expectedEntries(late, conditions)).toEqual(late);
      expect(late.every(({ created_at }) => created_at < new Date(requestMs).toISOString())).toBe(true);
      expect(found.filter(({ id }) => initialIds.has(id))).toEqual(expectedEntries(initial, conditions));
    });
    await fc.assert(pagesByCursor, { numRuns: byTestForm({ short: 25, long: 1000 }) });
  });

  it('lists the same entries when paging by offset with an end', async () => {
    const pagesByOffset = property(async (scenario, organizationId) => {
      const { shards } = scenario;
      const { end = new Date(requestMs).toISOString(), ...others } = scenario.conditions;
      const conditions = { ...others, end };
      const initial = await write(organizationId, scenario.entries, { fromMs: startMs, shards });
      const found = await walkByOffset({ organizationId, scenario, conditions, shards });
      expect(found).toEqual(expectedEntries(initial, conditions));
    });
    await fc.assert(pagesByOffset, { numRuns: byTestForm({ short: 25, long: 1000 }) });
  });
});
