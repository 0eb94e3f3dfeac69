import { afterAll, beforeAll, expect, it } from 'vitest';
import { acquireLock } from '#lambdas/costs/reprice/lock.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createRollupsTable } from '#test/support/dynamodb/rollups-table.ts';

let database: EmbeddedDynamoDB;
let table: CostRollupsTable;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  table = await createRollupsTable(database);
});
afterAll(() => database.stop());

it('rejects confirmation of a suspended run after another has taken over the lock', async () => {
  let nowMs = Date.UTC(2026, 0, 31);
  const request = {
    table,
    organizationId: 'org_1',
    task: 'task',
    untilMs: nowMs,
    mayResume: true,
    now: () => new Date(nowMs),
  };
  const suspended = await acquireLock(request);
  nowMs += 60_000;
  const other = await acquireLock(request);

  await expect(suspended.confirm()).rejects.toThrow(
    'Another "costs reprice" has taken over the lock of org_1: this one has stopped',
  );
  await expect(other.confirm()).resolves.toBeUndefined();
});
