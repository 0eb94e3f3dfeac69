/**
 * Compares the costs endpoint with the entries while the rollup function counts the last ones, on the embedded DynamoDB: the
 * calls of the report and of the function take turns, and the function is killed between any two of its row writes.
 *
 * Each sum must be between that of the entries that were counted before and that of all entries, elements and groups must add
 * up to the totals, and nothing may be negative. What does not include the last entries, and everything after their
 * redelivery, must be exact.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, shardOfLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { createRandom } from '#test/lambdas/costs/repair/support/random.ts';
import {
  createRepairFixture,
  putEntry,
  type RepairFixture,
  type RepairTables,
} from '#test/lambdas/costs/repair/support/repair-fixture.ts';
import { drainShards } from '#test/lambdas/costs/repair/support/simulate-requests.ts';
import { startRun } from '#test/lambdas/costs/rollups/support/interruptible-run.ts';
import { deliver, handleResult, step } from '#test/lambdas/costs/rollups/support/stream-shard.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { costDependencies } from '#test/support/reports/cost-dependencies.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { expectAddedUp, expectBetween, expectNoNegativeNumber } from './support/consistent-sums.ts';
import { edgeCaseEntry, edgeCaseParametersWithin } from './support/edge-case-arbitraries.ts';
import { type CostParameters, expectedCosts, noParameters } from './support/expected-costs.ts';
import { expectedWindow } from './support/expected-window.ts';
import { getCosts } from './support/get-costs-in-memory.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const logShards = 2;

let database: EmbeddedDynamoDB;
let tables: RepairTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());

/** Shortly after the end of a month, a day, an hour, or of a local day in Berlin or St. John's. */
const presentTimes = [
  '2026-02-01T00:00:20.250Z',
  '2026-03-05T00:41:00.500Z',
  '2026-03-05T12:00:30.750Z',
  '2026-03-29T22:59:59.999Z',
  '2026-03-09T03:29:10.125Z',
].map((text) => Date.parse(text));

interface Scenario {
  nowMs: number;
  /** The first are counted before; the order is that of the stream. */
  entries: LogEntry[];
  queries: CostParameters[];
  seed: number;
}

const scenario: fc.Arbitrary<Scenario> = fc.constantFrom(...presentTimes).chain((nowMs) => {
  const ages = [2 * minuteMs, hourMs, 4 * hourMs, 40 * hourMs].map((max) => fc.integer({ min: 1, max }));
  const time = fc.oneof(...ages).map((ageMs) => nowMs - ageMs);
  const bound = fc.oneof(time, fc.integer({ min: nowMs - 4 * hourMs, max: nowMs + 30 * hourMs }));
  const timeZones = ['Europe/Berlin', 'America/St_Johns', 'Asia/Kolkata', 'America/Los_Angeles'];
  const parameters = edgeCaseParametersWithin({
    bounds: fc.tuple(bound, bound),
    timeZones,
    presentMs: nowMs,
  });
  return fc.record({
    nowMs: fc.constant(nowMs),
    entries: fc
      .array(edgeCaseEntry({ organizationId: '', logShards, time }), { minLength: 12, maxLength: 16 })
      .map((entries) => entries.sort((one, other) => (one.id < other.id ? -1 : 1))),
    // With a limit, the groups depend on the costs.
    queries: fc.array(
      parameters.map((each) => ({ ...each, limit: null })),
      { minLength: 8, maxLength: 8 },
    ),
    seed: fc.integer(),
  });
});

it('returns consistent sums while requests are being counted, and exact ones afterwards', async () => {
  await fc.assert(fc.asyncProperty(scenario, simulateAndCompare), {
    numRuns: byTestForm({ short: 3, long: 40 }),
    endOnFailure: true,
  });
});

it('returns consistent local days while the rows of a delayed request of another day are written', async () => {
  // After midnight in India, and before in UTC.
  const time = Date.parse('2026-03-04T20:00:00Z');
  const nowMs = Date.parse('2026-03-05T12:00:00.500Z');
  for (const pick of [1, 2]) {
    const fixture = createRepairFixture(tables, nowMs);
    await writeEntries(fixture, [
      logEntry({ id: createLogId(time), user_id: 'a', error_code: 'timeout', outcome: 'timeout' }),
    ]);
    const [shard] = fixture.shards;
    if (shard === undefined) throw new Error('There is no stream');
    await deliver(fixture, shard, 1);
    for (; shard.invocation?.status.kind === 'running'; await step(shard, { pick, outcome: 'succeeded' })) {
      for (const group_by of [null, 'error_code']) {
        const bounds = { start: time - 24 * hourMs, end: time + 24 * hourMs };
        const parameters = {
          ...noParameters,
          ...bounds,
          group_by,
          interval: 'day' as const,
          time_zone: 'Asia/Kolkata',
        };
        expectConsistent(await getReport(fixture, tables.client, parameters), {
          fixture,
          parameters,
          before: [],
        });
      }
    }
  }
});

async function simulateAndCompare({ nowMs, entries, queries, seed }: Scenario): Promise<void> {
  const random = createRandom(seed);
  const fixture = createRepairFixture(tables, nowMs);
  const { shards } = fixture;
  await writeEntries(fixture, entries);
  for (const shard of shards) {
    await deliver(fixture, shard, random.below(shard.records.length));
    await shard.invocation?.finish();
    handleResult(shard, false);
  }

  for (const parameters of queries) {
    const before = countedEntries(fixture);
    const report = await startRun(tables.client, (client) => getReport(fixture, client, parameters));
    while (report.status.kind === 'running') {
      const shard = random.pick(shards);
      await deliver(fixture, shard, 1 + random.below(4));
      for (let steps = random.pick([0, 0, 1, 2, 9]); steps > 0; steps -= 1)
        await step(shard, { pick: random.below(40), outcome: 'succeeded' });
      if (random.below(20) === 0) shard.invocation?.kill();
      handleResult(shard, random.below(2) === 0);
      const calls = Array.from({ length: random.pick([1, 1, 4, 30]) }, () => random.below(8));
      await Promise.all(calls.map((pick) => report.step(pick, 'succeeded')));
    }
    if (report.status.kind !== 'returned') throw new Error(`The report was ${report.status.kind}`);
    expectConsistent(report.status.result, { fixture, parameters, before });
  }

  for (const shard of shards) shard.invocation?.kill();
  for (const shard of shards) handleResult(shard, false);
  await drainShards(fixture);
  for (const parameters of queries.slice(0, 4))
    expect(await getReport(fixture, tables.client, parameters)).toEqual(expected(fixture, parameters));
}

function expectConsistent(
  response: Record<string, unknown>,
  { fixture, parameters, before }: { fixture: RepairFixture; parameters: CostParameters; before: LogEntry[] },
): void {
  const bounds = {
    before: expected(fixture, parameters, before),
    after: expected(fixture, parameters),
  };
  expectNoNegativeNumber(response);
  expectBetween(response, bounds);
  expectAddedUp(response);
  if (JSON.stringify(bounds.before) === JSON.stringify(bounds.after)) expect(response).toEqual(bounds.after);
}

function expected(
  { entries: stored, nowMs }: RepairFixture,
  parameters: CostParameters,
  included = stored.map(({ entry }) => entry),
) {
  const entries = stored.map(({ entry }) => entry);
  const window = expectedWindow({ entries, expired: new Set(), now: new Date(nowMs) }, parameters);
  return expectedCosts(included, parameters, window);
}

/** In the order in which the requests were received, since a longer request may be counted much later than it was received. */
async function writeEntries(fixture: RepairFixture, entries: LogEntry[]): Promise<void> {
  const { organizationId: organization_id } = fixture;
  for (const generated of entries) {
    const createdMs = timestampOfLogId(generated.id);
    // fast-check generates the same entries again when it shrinks a failure.
    const id = createLogId(createdMs, shardOfLogId(generated.id));
    await putEntry(fixture, { entry: { ...generated, id, organization_id }, writtenAtMs: createdMs });
  }
}

/** Entries of the batches whose invocations have ended. */
function countedEntries({ shards, entries }: RepairFixture): LogEntry[] {
  const counted = shards.flatMap(({ records, checkpoint }) => records.slice(0, checkpoint));
  const ids = new Set(counted.map(({ record }) => record.dynamodb.NewImage?.id?.S));
  return entries.map(({ entry }) => entry).filter(({ id }) => ids.has(id));
}

function getReport(
  { organizationId, nowMs }: RepairFixture,
  client: RepairTables['client'],
  parameters: CostParameters,
): Promise<Record<string, unknown>> {
  const clock = { logShardsOf: async () => logShards, now: () => new Date(nowMs) };
  return getCosts(costDependencies({ ...tables, client }, clock), parameters, organizationId);
}
