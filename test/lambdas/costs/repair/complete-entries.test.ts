import { afterAll, beforeAll, expect, it } from 'vitest';
import { findCompleteEntries } from '#lambdas/costs/repair/complete-entries.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { createTables } from '#test/support/tables.ts';
import { newQuietWorld } from './quiet-world.ts';
import type { WorldTables } from './rebuild-world.ts';

let database: EmbeddedDynamoDB;
let tables: WorldTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());

it('knows to the millisecond until when entries are complete: a second before the oldest expires', async () => {
  const world = newQuietWorld(tables, '2026-03-14T15:09:26.000Z');
  await world.write('2026-03-14T15:00:00.500Z');
  const generation = { organizationId: world.organizationId, generation: 0, logShards: 1 };

  const complete = await findCompleteEntries(world.parts(), generation, 86_400_000);

  // Entries are kept for 90 days, and expire at a whole second.
  expect(complete).toEqual({
    oldestMs: Date.parse('2026-03-14T15:00:00.500Z'),
    fromMs: 0,
    untilMs: Date.parse('2026-06-12T14:59:59.000Z'),
  });
});
