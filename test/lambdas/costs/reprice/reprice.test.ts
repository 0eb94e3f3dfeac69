import { afterAll, beforeAll, expect, it } from 'vitest';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { type RepricedOrganization, repriceOrganizations } from '#lambdas/costs/reprice/reprice.ts';
import { beginReprice, releaseReprice } from '#lambdas/costs/reprice/run.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { snapshotOf } from '#lambdas/pricing/custom/store.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { openStreamTail, type StreamTail } from '#test/support/dynamodb/stream-tail.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import {
  createRepriceFixture,
  logTable,
  priceTableOf,
  type RepriceFixture,
  rollupTable,
  writeEntry,
} from './reprice-fixture.ts';

let database: EmbeddedDynamoDB;
let tables: TestTables;
let stream: StreamTail;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = await createTables(database);
  stream = await openStreamTail(database.endpoint, tables.logEntriesStreamArn);
});

afterAll(async () => {
  stream.stop();
  await database.stop();
});

async function createRepriceFixtures(count: number): Promise<RepriceFixture[]> {
  const fixtures = Array.from({ length: count }, () =>
    createRepriceFixture({ database, tables, stream, organizationId: newOrganizationId(), shards: 1 }),
  );
  const request = { model: 'a', shard: 0, tokens: 999_999, pricing: 'unknown', minutesBack: 5 } as const;
  for (const fixture of fixtures) await writeEntry(fixture, request);
  return fixtures;
}

/** Stops after `stopAfter` pages; each organization has one page here. */
async function reprice(fixtures: RepriceFixture[], { name = 'one', mayResume = true, stopAfter = 99 }) {
  const [fixture] = fixtures;
  if (fixture === undefined) throw new Error('There is no organization');
  const repriced: RepricedOrganization[] = [];
  const notes: string[] = [];
  const controller = new AbortController();
  let pages = 0;
  const work = repriceOrganizations({
    dependencies: {
      directory: { logShardsOf: async () => 1 },
      logEntries: logTable(fixture),
      costRollups: rollupTable(fixture),
      now: fixture.now,
      pause: async () => {},
    },
    organizations: fixtures.map(({ organizationId: id }) => ({
      id,
      name: '',
      created_at: '',
      log_shards: 1,
    })),
    task: {
      name,
      repricing: { entries: 'uncertain', table: priceTableOf(0), settings: {}, customPrices: snapshotOf([]) },
      startMs: allTime.startMs,
      endMs: fixture.now().getTime(),
      isDryRun: false,
      mayResume,
    },
    job: {
      signal: controller.signal,
      report() {
        pages += 1;
        if (pages === stopAfter) controller.abort();
      },
      note: (text) => notes.push(text),
    },
    onBegin: (organization) => repriced.push(organization),
  });
  await work.catch((error) => {
    if (error !== controller.signal.reason) throw error;
  });
  return { notes, changed: repriced.map(({ organizationId, counts }) => [organizationId, counts.changed]) };
}

it('starts again after a stop between organizations, without changing the first one', async () => {
  const fixtures = await createRepriceFixtures(2);
  const [first, second] = fixtures.map(({ organizationId }) => organizationId);

  const stopped = await reprice(fixtures, { stopAfter: 1 });
  const again = await reprice(fixtures, {});

  expect(stopped).toEqual({ notes: [], changed: [[first, 1]] });
  expect(again).toEqual({
    notes: [],
    changed: [
      [first, 0],
      [second, 1],
    ],
  });
});

it('resumes in the organization in which an earlier run of the same task was stopped', async () => {
  const fixtures = await createRepriceFixtures(3);
  const [, second, third] = fixtures;
  await interruptWithin(second, 'one');

  const { notes, changed } = await reprice(fixtures, {});

  expect(changed).toEqual([
    [second?.organizationId, 1],
    [third?.organizationId, 1],
  ]);
  expect(notes).toEqual([
    `an earlier run has completed the organizations before ${second?.organizationId}`,
    `${second?.organizationId}: continuing where an earlier run stopped (use --restart to start again)`,
  ]);
});

it.each([
  ['another task', { name: 'another' }],
  ['a run without resume', { mayResume: false }],
])('reprices all organizations in %s', async (_, options) => {
  const fixtures = await createRepriceFixtures(2);
  await interruptWithin(fixtures[1], 'one');

  const { notes, changed } = await reprice(fixtures, options);

  expect(notes).toEqual([]);
  expect(changed).toEqual(fixtures.map(({ organizationId }) => [organizationId, 1]));
});

/** Saves the state of a run that was stopped before its first entry. */
async function interruptWithin(fixture: RepriceFixture | undefined, task: string): Promise<void> {
  if (fixture === undefined) throw new Error('There is no organization');
  const { organizationId } = fixture;
  const run = { organizationId, id: 'stopped', startedAt: fixture.now() };
  const progress = { task, untilMs: fixture.now().getTime(), nextShard: 0, reached: {} };
  await beginReprice(rollupTable(fixture), run);
  await releaseReprice(rollupTable(fixture), run, { progress, endedAt: fixture.now() });
}
