/** Walking through pages on real tables, however entries, shards, conditions, limits and budgets are. */
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../lambdas/shared/domain/log-entry.ts';
import { createLogId } from '../../../lambdas/shared/domain/log-id.ts';
import { type LogPage, readLogPage } from '../../../lambdas/shared/domain/log-page.ts';
import { parseLogQuery } from '../../../lambdas/shared/domain/log-query.ts';
import { toItem } from '../../../lambdas/shared/stores/log-entry-item.ts';
import { createLogEntryReader } from '../../../lambdas/shared/stores/log-entry-reader.ts';
import type { LogEntriesTable } from '../../../lambdas/shared/stores/log-entry-writer.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '../../support/embedded-dynamodb.ts';
import { logEntry } from '../../support/log-entries.ts';
import { type MeteredRead, meterReads, type ReadMeter } from '../../support/read-meter.ts';
import { createTables } from '../../support/tables.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);
/** Entries fall on this many milliseconds; the walk is asked for after them. */
const spanMs = 8;
const askedAtMs = startMs + spanMs;

const orNull = <Value extends string>(...values: Value[]) => fc.constantFrom<Value | null>(...values, null);

const entryFields = fc.record({
  atMs: fc.integer({ min: 0, max: spanMs - 1 }),
  place: fc.nat(),
  expired: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
  model: fc.constantFrom('m', 'm', 'x/m', 'n', null),
  provider: fc.constantFrom('x', 'x', 'y', null),
  prompt_id: orNull('p', 'q'),
  session_id: orNull('s', 't'),
  user_id: orNull('u', 'v'),
  status: fc.constantFrom(200, 200, 200, 429),
});

/** Seldom given, so that many entries match in most walks, and few in some. */
const optional = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const bound = fc.integer({ min: -1, max: spanMs }).map((offset) => new Date(startMs + offset).toISOString());

const conditionValues = fc.record({
  model: optional(fc.constantFrom('m', 'm', 'x/m', 'none')),
  provider: optional(fc.constantFrom('x', 'x', 'y')),
  prompt_id: optional(fc.constant('p')),
  session_id: optional(fc.constant('s')),
  user_id: optional(fc.constant('u')),
  status: optional(fc.constantFrom('200', '429')),
  start: optional(bound),
  end: optional(bound),
});

const scenario = fc.record({
  entries: fc.array(entryFields, { maxLength: 50, size: 'max' }),
  shards: fc.integer({ min: 1, max: 5 }),
  conditions: conditionValues,
  limits: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  budget: fc.integer({ min: 1, max: 40 }),
  /** Before which page what happens. */
  raiseAt: fc.integer({ min: 1, max: 4 }),
  raiseTo: fc.integer({ min: 1, max: 6 }),
  newerAt: fc.integer({ min: 1, max: 3 }),
  newer: fc.array(entryFields, { maxLength: 4 }),
  lateAt: fc.integer({ min: 1, max: 3 }),
  late: fc.array(entryFields, { maxLength: 3 }),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;
type Fields = Scenario['entries'][number];
type Conditions = Partial<Scenario['conditions']>;

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

/** What the parameters say, said once more and in a simpler way. */
function expectedOf(entries: LogEntry[], asked: Conditions): LogEntry[] {
  const { model, provider, start = '', end = '~', status, ...metadata } = asked;
  const isModel = (entry: LogEntry) =>
    model === undefined || entry.model === model || `${entry.provider}/${entry.model}` === model;
  return entries
    .filter(isModel)
    .filter((entry) => provider === undefined || entry.provider === provider)
    .filter((entry) => status === undefined || String(entry.status) === status)
    .filter((entry) => entry.created_at >= start && entry.created_at < end)
    .filter((entry) =>
      Object.entries(metadata).every(
        ([name, value]) => value === undefined || entry[name as keyof typeof metadata] === value,
      ),
    )
    .toSorted((left, right) => (left.id < right.id ? 1 : -1));
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
  const reader = createLogEntryReader(table);
  const answer = await readLogPage(query, { reader, shards: walk.shards, budget });
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
    fc.asyncProperty(scenario, (drawn) => {
      organizations += 1;
      return walks(drawn, `org_${organizations}`);
    });

  it('by cursor gives every entry that was there at the start, once, newest first', async () => {
    const walks = property(async (drawn, organizationId) => {
      const { shards, conditions } = drawn;
      const valid = { ...conditions, ...(invalidWindow(conditions) && { start: undefined }) };
      const there = await write(organizationId, drawn.entries, { fromMs: startMs, shards });
      const found = await walkByCursor({ organizationId, scenario: drawn, conditions: valid, shards });

      const ids = idsOf(found);
      expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
      const wasThere = new Set(idsOf(there));
      // What came later with an earlier time is given where the walk has not been yet.
      const came = found.filter(({ id }) => !wasThere.has(id));
      expect(expectedOf(came, valid)).toEqual(came);
      expect(came.every(({ created_at }) => created_at < new Date(askedAtMs).toISOString())).toBe(true);
      expect(found.filter(({ id }) => wasThere.has(id))).toEqual(expectedOf(there, valid));
    });
    await fc.assert(walks, { numRuns: 300 });
  }, 120_000);

  it('by offset, up to an end, gives the same', async () => {
    const walks = property(async (drawn, organizationId) => {
      const { shards } = drawn;
      const { end = new Date(askedAtMs).toISOString(), ...others } = drawn.conditions;
      const conditions = { ...others, end, ...(invalidWindow(drawn.conditions) && { start: undefined }) };
      const there = await write(organizationId, drawn.entries, { fromMs: startMs, shards });
      const found = await walkByOffset({ organizationId, scenario: drawn, conditions, shards });
      expect(found).toEqual(expectedOf(there, conditions));
    });
    await fc.assert(walks, { numRuns: 300 });
  }, 120_000);
});

function invalidWindow({ start = '', end = '~' }: Conditions): boolean {
  return start > end;
}
