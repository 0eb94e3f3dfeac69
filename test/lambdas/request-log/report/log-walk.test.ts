/** Walking through pages on real tables, however entries, shards, conditions, limits and budgets are. */
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type LogPage, pageBudget, readLogPage } from '#lambdas/request-log/report/page.ts';
import { parseLogQuery } from '#lambdas/request-log/report/query.ts';
import { createLogEntryReader, type LogEntryReader } from '#lambdas/request-log/report/read.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type MeteredRead, meterReads, type ReadMeter } from '#test/support/read-meter.ts';
import { createTables } from '#test/support/tables.ts';
import { inThisForm } from '#test/support/test-form.ts';
import {
  askedAtMs,
  type Conditions,
  expectedOf,
  type Fields,
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
  // The engine writes the slower the more records a stream has, and nobody reads this one.
  await database.client.send(
    new UpdateTableCommand({ TableName: logEntries, StreamSpecification: { StreamEnabled: false } }),
  );
  table = { client: database.documentClient, tableName: logEntries, now: () => new Date(askedAtMs) };
  meter = meterReads(database.client);
});
afterAll(() => database.stop());

async function write(organizationId: string, fields: Fields[], range: { fromMs: number; shards: number }) {
  const written = fields.map(({ atMs, place, expired, ...values }) => {
    const id = createLogId(range.fromMs + atMs, place % range.shards);
    return { expired, entry: logEntry({ id, organization_id: organizationId, ...values }) };
  });
  const requests = written.map(({ expired, entry }) => {
    const expiresAtSeconds = Math.floor(askedAtMs / 1000) + (expired ? 0 : 1);
    return { PutRequest: { Item: toItem(entry, { writtenAtMs: askedAtMs, expiresAtSeconds }) } };
  });
  for (let from = 0; from < requests.length; from += 25) {
    const RequestItems = { [table.tableName]: requests.slice(from, from + 25) };
    await table.client.send(new BatchWriteCommand({ RequestItems }));
  }
  meter.take();
  return written.filter(({ expired }) => !expired).map(({ entry }) => entry);
}

/** Of each run one read is beyond the budget: that which was under way when the page ended. */
function holdsBudget(reads: MeteredRead[], budget: number) {
  const runs = Map.groupBy(reads, ({ input }) => {
    const { ':highest': _, ...values } = input.ExpressionAttributeValues as Record<string, unknown>;
    return JSON.stringify([input.IndexName, input.FilterExpression, values]);
  });
  const largest = [...runs.values()].map((run) => Math.max(...run.map(({ evaluated }) => evaluated)));
  const evaluated = reads.reduce((sum, read) => sum + read.evaluated, 0);
  expect(evaluated).toBeLessThanOrEqual(budget + largest.reduce((sum, read) => sum + read, 0));
}

/** Each item counts as many, so that few of them use up the budget of a page. */
function costlyReader(weight: number): Pick<LogEntryReader, 'readPage'> {
  const reader = createLogEntryReader(table);
  return {
    async readPage(run, before, pageSize) {
      const page = await reader.readPage(run, before, Math.ceil(pageSize / weight));
      return { ...page, scanned: page.scanned * weight };
    },
  };
}

interface Walk {
  organizationId: string;
  scenario: Scenario;
  conditions: Conditions;
  /** By now. */
  shards: number;
}

async function readPage(walk: Walk, page: Record<string, string | number | undefined>): Promise<LogPage> {
  const given = Object.entries({ ...walk.conditions, ...page }).filter(([, value]) => value !== undefined);
  const query = parseLogQuery(
    walk.organizationId,
    Object.fromEntries(given.map(([name, value]) => [name, [String(value)]])),
  );
  const { budget } = walk.scenario;
  const access = { shards: walk.shards, cursorKey: 'a2V5' };
  const answer = await readLogPage(costlyReader(pageBudget / budget), query, access);
  holdsBudget(meter.take(), budget);
  expect(answer.hasMore).toBe(answer.nextCursor !== null);
  expect(answer.entries.length).toBeLessThanOrEqual(query.limit);
  return answer;
}

const limitOf = ({ limits }: Scenario, page: number) => limits[page % limits.length] ?? 1;

/** Every page by the cursor of the one before, while the world changes. */
async function walkByCursor(walk: Walk): Promise<LogEntry[]> {
  const { organizationId, scenario } = walk;
  const found: LogEntry[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; cursor !== null; page += 1) {
    if (page === scenario.raiseAt) walk.shards = Math.max(walk.shards, scenario.raiseTo);
    if (page === scenario.newerAt)
      await write(organizationId, scenario.newer, { fromMs: askedAtMs, shards: walk.shards });
    if (page === scenario.lateAt)
      await write(organizationId, scenario.late, { fromMs: startMs, shards: walk.shards });
    const answer = await readPage(walk, { limit: limitOf(scenario, page), cursor });
    found.push(...answer.entries);
    cursor = answer.nextCursor;
  }
  return found;
}

/** `limit` entries from an offset on: of a page that comes back thin, its cursor leads to the rest. */
async function readFrom(walk: Walk, offset: number, limit: number) {
  const first = await readPage(walk, { offset, limit });
  const entries = [...first.entries];
  let cursor = first.nextCursor;
  while (cursor !== null && entries.length < limit) {
    const more = await readPage(walk, { cursor, limit: limit - entries.length });
    entries.push(...more.entries);
    cursor = more.nextCursor;
  }
  return { entries, hasMore: cursor !== null };
}

async function walkByOffset(walk: Walk): Promise<LogEntry[]> {
  const { organizationId, scenario } = walk;
  const found: LogEntry[] = [];
  let hasMore = true;
  for (let page = 0; hasMore; page += 1) {
    if (page === scenario.newerAt)
      await write(organizationId, scenario.newer, { fromMs: askedAtMs, shards: walk.shards });
    const answer = await readFrom(walk, found.length, limitOf(scenario, page));
    found.push(...answer.entries);
    hasMore = answer.hasMore;
  }
  return found;
}

const idsOf = (entries: LogEntry[]) => entries.map(({ id }) => id);

describe('walking through the log', () => {
  const property = (walks: (scenario: Scenario, organizationId: string) => Promise<void>) =>
    fc.asyncProperty(scenarios, (drawn) => {
      organizations += 1;
      return walks(drawn, `org_${organizations}`);
    });

  it('by cursor gives every entry that was there at the start, once, newest first', async () => {
    const walks = property(async (drawn, organizationId) => {
      const { shards, conditions } = drawn;
      const there = await write(organizationId, drawn.entries, { fromMs: startMs, shards });
      const found = await walkByCursor({ organizationId, scenario: drawn, conditions, shards });

      const ids = idsOf(found);
      expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
      const wasThere = new Set(idsOf(there));
      // What came later with an earlier time is given where the walk has not been yet.
      const came = found.filter(({ id }) => !wasThere.has(id));
      expect(expectedOf(came, conditions)).toEqual(came);
      expect(came.every(({ created_at }) => created_at < new Date(askedAtMs).toISOString())).toBe(true);
      expect(found.filter(({ id }) => wasThere.has(id))).toEqual(expectedOf(there, conditions));
    });
    await fc.assert(walks, { numRuns: inThisForm({ short: 25, long: 1000 }) });
  });

  it('by offset, up to an end, gives the same', async () => {
    const walks = property(async (drawn, organizationId) => {
      const { shards } = drawn;
      const { end = new Date(askedAtMs).toISOString(), ...others } = drawn.conditions;
      const conditions = { ...others, end };
      const there = await write(organizationId, drawn.entries, { fromMs: startMs, shards });
      const found = await walkByOffset({ organizationId, scenario: drawn, conditions, shards });
      expect(found).toEqual(expectedOf(there, conditions));
    });
    await fc.assert(walks, { numRuns: inThisForm({ short: 25, long: 1000 }) });
  });
});
