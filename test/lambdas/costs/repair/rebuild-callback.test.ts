import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import {
  createSequentialRepairFixture,
  type SequentialRepairFixture,
} from './support/sequential-repair-fixture.ts';

const now = '2026-03-14T15:09:26.000Z';

let database: EmbeddedDynamoDB;
let tables: TestTables;
let fixture: SequentialRepairFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = await createTables(database);
});
afterAll(() => database.stop());
beforeEach(() => {
  fixture = createSequentialRepairFixture({ ...tables, client: database.documentClient }, now);
});

function rebuild(onRebuilt: (organizationId: string) => Promise<void>) {
  const { organizationId } = fixture;
  return rebuildRollups(
    { ...fixture.dependencies(), onRebuilt },
    { organizationIds: [organizationId], coversAllOrganizations: false },
  );
}

it('calls onRebuilt when the new rollups are active, and again when the run is resumed', async () => {
  const { organizationId } = fixture;
  await fixture.writeEntry('2026-03-14T15:00:00.000Z');
  await fixture.processStream();
  const calls: unknown[] = [];
  const onRebuilt = async (id: string) => {
    const table = { client: database.documentClient, tableName: tables.costRollups };
    calls.push([id, (await findRollupState(table, id)).generation]);
    if (calls.length === 1) throw new Error('The table is unavailable');
  };

  await expect(rebuild(onRebuilt)).rejects.toThrow('The table is unavailable');
  const resumed = await rebuild(onRebuilt);

  expect(resumed).toMatchObject([{ organizationId, status: 'rebuilt before' }]);
  expect(calls).toEqual([
    [organizationId, 1],
    [organizationId, 1],
  ]);
});

it('does not call onRebuilt for an organization without entries', async () => {
  const calls: string[] = [];

  const [result] = await rebuild(async (id) => void calls.push(id));

  expect([result?.status, calls]).toEqual(['nothing to count', []]);
});
