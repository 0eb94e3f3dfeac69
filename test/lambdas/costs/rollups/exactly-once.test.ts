import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { fc } from '#test/support/fast-check.ts';
import { createRollupsTable } from '#test/support/rollups-table.ts';
import { inThisForm } from '#test/support/test-form.ts';
import { play } from './play-schedule.ts';
import { countedRows, expectedRows } from './rollup-model.ts';
import { newWorld } from './rollup-world.ts';
import { schedule } from './schedules.ts';
import { generationsOf } from './simulated-rebuild.ts';
import { isForeign, messagesOf } from './simulated-replay.ts';

const schedulesAtOnce = 25;
const rounds = inThisForm({ short: 2, long: 90 });

let database: EmbeddedDynamoDB;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  // Of the records that are no entries, or that the first version of the function cannot read.
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterAll(async () => {
  vi.restoreAllMocks();
  await database.stop();
});

it('counts every entry once, in every row, whatever happens to the calls, the batches and the shards', async () => {
  const schedules = fc.array(schedule, { minLength: schedulesAtOnce, maxLength: schedulesAtOnce });
  await fc.assert(
    fc.asyncProperty(schedules, async (together) => {
      const table = await createRollupsTable(database);
      const worlds = together.map(({ beginMs }, index) =>
        newWorld(table, { organizationIds: [`org_${index}a`, `org_${index}b`], beginMs }),
      );
      await Promise.all(together.map((schedule, index) => play(worlds[index] ?? expect.fail(), schedule)));
      const counted = await countedRows(table);
      for (const world of worlds) {
        expect((await messagesOf(world)).filter(({ record }) => !isForeign(record))).toEqual([]);
        for (const organization of world.organizations)
          for (const generation of generationsOf(organization))
            expect(counted.get(`${organization.id} ${generation}`) ?? {}).toEqual(
              expectedRows(world, organization, generation),
            );
      }
    }),
    { numRuns: rounds },
  );
});
