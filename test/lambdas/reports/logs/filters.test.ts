/** Compares filtered pages with the unfiltered list, while the rollups have counted all entries or some of them. */
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stateKey } from '#lambdas/costs/rollups/state.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import {
  type Caller,
  type ReportFixture,
  startReportFixture,
  streamRecord,
} from '#test/support/reports/fixture.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { conditions, type EntrySpec, entrySpec, matches, nowMs } from './filter-arbitraries.ts';

const hourMs = 3_600_000;

const scenarios = fc.record({
  specs: fc.array(entrySpec, { minLength: 10, maxLength: 40, size: 'max' }),
  logShards: fc.constantFrom(1, 1, 2, 9),
  /** How long ago each log shard was last counted. */
  lags: fc.array(
    fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: hourMs }),
      fc.integer({ min: 0, max: 12 * hourMs }),
      fc.integer({ min: 0, max: 500 * hourMs }),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  /** A rebuild counted the entries written before. */
  rebuiltAge: fc.option(fc.integer({ min: 0, max: 500 * hourMs })),
  queries: fc.array(
    fc.record({
      conditions,
      limits: fc.array(fc.constantFrom(1, 2, 5, 1000), { minLength: 1, maxLength: 3 }),
      offset: fc.constantFrom(0, 0, 1, 3),
      order: fc.constantFrom('desc', 'desc', 'asc'),
    }),
    { minLength: 15, maxLength: 15 },
  ),
});

type Scenario = typeof scenarios extends fc.Arbitrary<infer Value> ? Value : never;

interface Written extends Pick<EntrySpec, 'storage' | 'isRepriced'> {
  entry: LogEntry;
  writtenAtMs: number;
  shard: number;
}

interface Page {
  data: { id: string }[];
  has_more: boolean;
  next_cursor: string | null;
}

describe('GET /api/logs with filters without an index', () => {
  let reports: ReportFixture;
  beforeAll(async () => {
    reports = await startReportFixture();
    reports.setTime(new Date(nowMs));
    // The embedded database slows down with the length of the stream, which this test does not need.
    await reports.database.client.send(
      new UpdateTableCommand({
        TableName: reports.tables.logEntries,
        StreamSpecification: { StreamEnabled: false },
      }),
    );
  });
  afterAll(() => reports.stop());

  const put = (TableName: string, Item: Record<string, unknown>) =>
    reports.database.documentClient.send(new PutCommand({ TableName, Item }));

  async function write(organizationId: string, { specs, logShards }: Scenario): Promise<Written[]> {
    const written = specs.map(({ age, shardSeed, durationMs, storage, isRepriced, fields }) => {
      const shard = shardSeed % logShards;
      const createdMs = nowMs - age;
      const entry = logEntry({
        id: createLogId(createdMs, shard),
        organization_id: organizationId,
        latency_ms: durationMs,
        ...fields,
      });
      return { entry, writtenAtMs: createdMs + durationMs, shard, storage, isRepriced };
    });
    // The others are still running.
    const ended = written.filter(({ writtenAtMs }) => writtenAtMs <= nowMs);
    const items = ended.flatMap(({ entry, writtenAtMs, storage, isRepriced }) => {
      if (storage === 'deleted') return [];
      const expiresAtSeconds = Math.floor(nowMs / 1000) + (storage === 'expired' ? 0 : 1);
      return [toItem(entry, { writtenAtMs: isRepriced ? nowMs : writtenAtMs, expiresAtSeconds })];
    });
    const { logEntries } = reports.tables;
    for (let from = 0; from < items.length; from += 25) {
      const RequestItems = {
        [logEntries]: items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } })),
      };
      await reports.database.documentClient.send(new BatchWriteCommand({ RequestItems }));
    }
    return ended;
  }

  const setGeneration = (organizationId: string, cutoverMs: number) =>
    put(reports.tables.costRollups, { ...stateKey(organizationId), generation: 2, from_ms: cutoverMs });

  /** Counts each shard's entries in the order in which they were written, up to its lag. */
  async function count(organizationId: string, written: Written[], { lags, rebuiltAge }: Scenario) {
    const inOrder = written.toSorted((one, other) => one.writtenAtMs - other.writtenAtMs);
    const countShard = async (shard: number, isCounted: (entry: Written) => boolean, first: number) => {
      const counted = inOrder.filter((entry) => entry.shard === shard && isCounted(entry));
      if (counted.length === 0) return;
      await reports.rollupHandler({
        shardId: `shardId-${shard}`,
        Records: counted.map(({ entry, writtenAtMs }, index) =>
          streamRecord(entry, first + index, writtenAtMs),
        ),
      });
    };
    const cutoverMs = rebuiltAge === null ? 0 : nowMs - rebuiltAge;
    const shards = new Set(written.map(({ shard }) => shard));
    if (rebuiltAge !== null) {
      await setGeneration(organizationId, 0);
      for (const shard of shards) await countShard(shard, ({ writtenAtMs }) => writtenAtMs < cutoverMs, 1);
      await setGeneration(organizationId, cutoverMs);
    }
    for (const shard of shards) {
      const countedMs = nowMs - (lags[shard % lags.length] ?? 0);
      const isCounted = ({ writtenAtMs }: Written) => writtenAtMs >= cutoverMs && writtenAtMs <= countedMs;
      await countShard(shard, isCounted, 1000);
    }
  }

  async function list(caller: Caller, parameters: Record<string, string | number | undefined>) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) query.set(name, String(value));
    }
    const { status, body } = await reports.get('logs', { caller, query: String(query) });
    expect([status, body]).toEqual([200, expect.anything()]);
    return body as Page;
  }

  async function walk(caller: Caller, query: Scenario['queries'][number]) {
    const { conditions, limits, offset, order } = query;
    const applied = { ...conditions, order };
    const ids: string[] = [];
    let page = await list(caller, { ...applied, offset, limit: limits[0] });
    for (let index = 1; ; index += 1) {
      ids.push(...page.data.map(({ id }) => id));
      expect(page.has_more).toBe(page.next_cursor !== null);
      if (page.next_cursor === null) return ids;
      const limit = limits[index % limits.length];
      page = await list(caller, { ...applied, cursor: page.next_cursor, limit });
    }
  }

  it('lists the same entries as the unfiltered list without the others', async () => {
    const property = fc.asyncProperty(scenarios, async (scenario) => {
      const caller = await reports.newCaller({ logShards: scenario.logShards });
      const written = await write(caller.organizationId, scenario);
      await count(caller.organizationId, written, scenario);

      const entries = new Map(written.map(({ entry }) => [entry.id, entry]));
      const { data } = await list(caller, { limit: 1000 });
      const all = data.flatMap(({ id }) => entries.get(id) ?? []);
      expect(all).toHaveLength(written.filter(({ storage }) => storage === 'stored').length);
      for (const query of scenario.queries) {
        const matching = all.filter((entry) => matches(entry, query.conditions));
        const inOrder = query.order === 'asc' ? matching.toReversed() : matching;
        const expected = inOrder.slice(query.offset);
        expect([query, await walk(caller, query)]).toEqual([query, expected.map(({ id }) => id)]);
      }
    });
    await fc.assert(property, { numRuns: byTestForm({ short: 4, long: 80 }) });
  });
});
