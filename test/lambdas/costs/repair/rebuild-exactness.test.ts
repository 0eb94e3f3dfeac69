import { afterAll, beforeAll, expect, it } from 'vitest';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { expectedRows, readRows, withoutZeroRows } from './support/expected-rows.ts';
import { createCorruptedFixture } from './support/initial-state.ts';
import { createRandom } from './support/random.ts';
import type { RepairTables } from './support/repair-fixture.ts';
import { completeSimulation, simulateEvents } from './support/simulate-events.ts';
import { createSimulation, rebuildStartOf, rollupsTableOf } from './support/simulation.ts';

const nowMs = Date.UTC(2026, 2, 14, 15, 9, 26);

let database: EmbeddedDynamoDB;
let tables: RepairTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());

const concurrentScenarios = byTestForm({ short: 4, long: 20 });
const numRuns = byTestForm({ short: 1, long: 25 });
const eventCount = 60;

it('rebuilds rollups exactly during random requests, failures, reprices and rebuilds', async () => {
  const scenarios = fc.array(fc.record({ seed: fc.integer(), hasHistory: fc.boolean() }), {
    minLength: concurrentScenarios,
    maxLength: concurrentScenarios,
  });
  await fc.assert(
    fc.asyncProperty(scenarios, async (batch) => {
      await Promise.all(batch.map(simulateAndCompare));
    }),
    { numRuns, endOnFailure: true },
  );
});

async function simulateAndCompare({ seed, hasHistory }: { seed: number; hasHistory: boolean }) {
  const random = createRandom(seed);
  const simulation = createSimulation(
    await createCorruptedFixture(tables, random, { nowMs, hasHistory }),
    random,
  );
  await simulateEvents(simulation, eventCount);
  await completeSimulation(simulation);
  const { fixture } = simulation;
  const { generation } = await findRollupState(rollupsTableOf(fixture), fixture.organizationId);
  const scenario = `scenario ${JSON.stringify({ seed, hasHistory })}`;
  expect(withoutZeroRows(await readRows(fixture, generation)), scenario).toEqual(
    withoutZeroRows(expectedRows(fixture, rebuildStartOf(simulation))),
  );
  if (!simulation.hadConcurrentRebuilds)
    expect(await readRows(fixture, 0), `the obsolete rows, ${scenario}`).toEqual({});
}
