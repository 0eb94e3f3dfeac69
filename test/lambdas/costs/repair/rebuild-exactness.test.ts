import { afterAll, beforeAll, expect, it } from 'vitest';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { fc } from '#test/support/fast-check.ts';
import { createTables } from '#test/support/tables.ts';
import { inThisForm } from '#test/support/test-form.ts';
import { costRollupsOf, keptOf, newPlay } from './play-state.ts';
import { createRandom } from './random.ts';
import { playEvents, playToTheEnd } from './rebuild-play.ts';
import { damagedWorld } from './rebuild-setup.ts';
import type { WorldTables } from './rebuild-world.ts';
import { expectedRows, rowsOf } from './rollup-truth.ts';

const nowMs = Date.UTC(2026, 2, 14, 15, 9, 26);

let database: EmbeddedDynamoDB;
let tables: WorldTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());

const schedulesAtOnce = inThisForm({ short: 6, long: 20 });
const rounds = inThisForm({ short: 1, long: 25 });
const events = 60;

it('rebuilds exactly, whatever happens meanwhile', async () => {
  const schedules = fc.array(fc.record({ seed: fc.integer(), hasHistory: fc.boolean() }), {
    minLength: schedulesAtOnce,
    maxLength: schedulesAtOnce,
  });
  await fc.assert(
    fc.asyncProperty(schedules, async (together) => {
      await Promise.all(together.map(playAndCompare));
    }),
    { numRuns: rounds, endOnFailure: true },
  );
});

async function playAndCompare({ seed, hasHistory }: { seed: number; hasHistory: boolean }) {
  const random = createRandom(seed);
  const play = newPlay(await damagedWorld(tables, random, { nowMs, hasHistory }), random);
  await playEvents(play, events);
  await playToTheEnd(play);
  const { world } = play;
  const { generation } = await findRollupState(costRollupsOf(world), world.organizationId);
  const schedule = `the rows of ${JSON.stringify({ seed, hasHistory })}`;
  expect(await rowsOf(world, generation), schedule).toEqual(expectedRows(world, keptOf(play)));
  if (!play.hadTwoAtOnce) expect(await rowsOf(world, 0), `the former ones of ${schedule}`).toEqual({});
}
