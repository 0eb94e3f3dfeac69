import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#lambdas/access/api-key.ts';
import { type RepricedOrganization, repriceOrganizations } from '#lambdas/costs/reprice/reprice.ts';
import { beginReprice, releaseReprice } from '#lambdas/costs/reprice/run.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { openStreamTail, type StreamTail } from '#test/support/stream-tail.ts';
import { createTables, type TestTables } from '#test/support/tables.ts';
import { logTable, newWorld, rollupTable, tableOf, type World, write } from './reprice-world.ts';

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

async function newWorlds(count: number): Promise<World[]> {
  const worlds = Array.from({ length: count }, () =>
    newWorld({ database, tables, stream, organizationId: newId('org'), shards: 1 }),
  );
  const request = { model: 'a', shard: 0, tokens: 999_999, pricing: 'unknown', minutesBack: 5 } as const;
  for (const world of worlds) await write(world, request);
  return worlds;
}

/** Stopped after so many pages, each of which is a whole organization here. */
async function reprice(worlds: World[], { name = 'one', mayResume = true, stopAfter = 99 }) {
  const [world] = worlds;
  if (world === undefined) throw new Error('There is no organization');
  const done: RepricedOrganization[] = [];
  const notes: string[] = [];
  const stop = new AbortController();
  let pages = 0;
  const work = repriceOrganizations({
    dependencies: {
      directory: { logShardsOf: async () => 1 },
      logEntries: logTable(world),
      costRollups: rollupTable(world),
      now: world.now,
      pause: async () => {},
    },
    organizations: worlds.map(({ organizationId: id }) => ({ id, name: '', created_at: '', log_shards: 1 })),
    task: {
      name,
      repricing: { entries: 'unknown', table: tableOf(0), settings: {} },
      startMs: allTime.startMs,
      endMs: world.now().getTime(),
      isDryRun: false,
      mayResume,
    },
    job: {
      signal: stop.signal,
      report() {
        pages += 1;
        if (pages === stopAfter) stop.abort();
      },
      note: (text) => notes.push(text),
    },
    onBegin: (organization) => done.push(organization),
  });
  await work.catch((error) => {
    if (error !== stop.signal.reason) throw error;
  });
  return { notes, changed: done.map(({ organizationId, counts }) => [organizationId, counts.changed]) };
}

it('a run that was stopped between organizations begins anew, and finds the first ones done', async () => {
  const worlds = await newWorlds(2);
  const [first, second] = worlds.map(({ organizationId }) => organizationId);

  const stopped = await reprice(worlds, { stopAfter: 1 });
  const again = await reprice(worlds, {});

  expect(stopped).toEqual({ notes: [], changed: [[first, 1]] });
  expect(again).toEqual({
    notes: [],
    changed: [
      [first, 0],
      [second, 1],
    ],
  });
});

it('a run goes on in the organization in which an earlier one of the same task was stopped', async () => {
  const worlds = await newWorlds(3);
  const [, second, third] = worlds;
  await stopWithin(second, 'one');

  const { notes, changed } = await reprice(worlds, {});

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
  ['a run that is to begin anew', { mayResume: false }],
])('%s does all of them', async (_, options) => {
  const worlds = await newWorlds(2);
  await stopWithin(worlds[1], 'one');

  const { notes, changed } = await reprice(worlds, options);

  expect(notes).toEqual([]);
  expect(changed).toEqual(worlds.map(({ organizationId }) => [organizationId, 1]));
});

/** A run that was stopped before it had done anything there. */
async function stopWithin(world: World | undefined, task: string): Promise<void> {
  if (world === undefined) throw new Error('There is no organization');
  const { organizationId } = world;
  const run = { organizationId, id: 'stopped', startedAt: world.now() };
  const progress = { task, untilMs: world.now().getTime(), nextShard: 0, reached: {} };
  await beginReprice(rollupTable(world), run);
  await releaseReprice(rollupTable(world), run, { progress, endedAt: world.now() });
}
