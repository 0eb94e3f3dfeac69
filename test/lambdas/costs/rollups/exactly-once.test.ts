import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createRollupsTable } from '#test/support/dynamodb/rollups-table.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { expectedRows, readAllRows } from './support/expected-rows.ts';
import { createRollupFixture } from './support/rollup-fixture.ts';
import { scenario } from './support/scenarios.ts';
import { simulate } from './support/simulate-scenario.ts';
import { generationsOf } from './support/simulated-rebuild.ts';
import { isMalformed, readMessages } from './support/simulated-replay.ts';

const concurrentScenarios = 25;
const numRuns = byTestForm({ short: 1, long: 90 });

let database: EmbeddedDynamoDB;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(async () => {
  await database.stop();
});

it('counts every entry exactly once in every row, for random failures of calls, batches and shards', async () => {
  const batches = fc.array(scenario, { minLength: concurrentScenarios, maxLength: concurrentScenarios });
  await fc.assert(
    fc.asyncProperty(batches, async (scenarios) => {
      const table = await createRollupsTable(database);
      const fixtures = scenarios.map(({ startMs }, index) =>
        createRollupFixture(table, { organizationIds: [`org_${index}a`, `org_${index}b`], startMs }),
      );
      await Promise.all(
        scenarios.map((scenario, index) => simulate(fixtures[index] ?? expect.fail(), scenario)),
      );
      const actual = await readAllRows(table);
      for (const fixture of fixtures) {
        expect((await readMessages(fixture)).filter(({ record }) => !isMalformed(record))).toEqual([]);
        for (const organization of fixture.organizations)
          for (const generation of generationsOf(organization))
            expect(actual.get(`${organization.id} ${generation}`) ?? {}).toEqual(
              expectedRows(fixture, organization, generation),
            );
      }
    }),
    { numRuns },
  );
});
