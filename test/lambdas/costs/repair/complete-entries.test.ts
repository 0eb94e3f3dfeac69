import { afterAll, beforeAll, expect, it } from 'vitest';
import { findCompleteEntries } from '#lambdas/costs/repair/complete-entries.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import type { RepairTables } from './support/repair-fixture.ts';
import { createSequentialRepairFixture } from './support/sequential-repair-fixture.ts';

let database: EmbeddedDynamoDB;
let tables: RepairTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());

it('sets expiresAtMs to a second before the oldest entry expires', async () => {
  const fixture = createSequentialRepairFixture(tables, '2026-03-14T15:09:26.000Z');
  await fixture.writeEntry('2026-03-14T15:00:00.500Z');
  const generation = { organizationId: fixture.organizationId, generation: 0, logShards: 1 };

  const completeEntries = await findCompleteEntries(fixture.dependencies(), generation, 86_400_000);

  // The retention is 90 days, and expiry times are whole seconds.
  expect(completeEntries).toEqual({
    oldestMs: Date.parse('2026-03-14T15:00:00.500Z'),
    fromMs: 0,
    expiresAtMs: Date.parse('2026-06-12T14:59:59.000Z'),
  });
});
