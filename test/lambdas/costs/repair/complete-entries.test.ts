import { afterAll, beforeAll, expect, it } from 'vitest';
import { findCompleteEntries } from '#lambdas/costs/repair/complete-entries.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { createControlledEnvironment } from './controlled-environment.ts';
import type { EnvironmentTables } from './rebuild-environment.ts';

let database: EmbeddedDynamoDB;
let tables: EnvironmentTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());

it('sets expiresAtMs to a second before the oldest entry expires', async () => {
  const environment = createControlledEnvironment(tables, '2026-03-14T15:09:26.000Z');
  await environment.writeEntry('2026-03-14T15:00:00.500Z');
  const generation = { organizationId: environment.organizationId, generation: 0, logShards: 1 };

  const completeEntries = await findCompleteEntries(environment.dependencies(), generation, 86_400_000);

  // The retention is 90 days, and expiry times are whole seconds.
  expect(completeEntries).toEqual({
    oldestMs: Date.parse('2026-03-14T15:00:00.500Z'),
    fromMs: 0,
    expiresAtMs: Date.parse('2026-06-12T14:59:59.000Z'),
  });
});
