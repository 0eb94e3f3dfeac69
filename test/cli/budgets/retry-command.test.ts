import { afterAll, beforeEach, expect, it } from 'vitest';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { listPendingChanges, pendingChangeItem } from '#lambdas/limits/budgets/pending-changes.ts';
import { sendTransaction } from '#lambdas/platform/dynamodb/transaction.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';

let gateway: AdminFixture;
// Each test needs an empty queue, and no pending changes.
beforeEach(async () => {
  await gateway?.stop();
  gateway = await startAdminFixture();
});
afterAll(() => gateway?.stop());

const table = (at = '2026-11-23T12:00:00.000Z') => ({
  client: gateway.database.documentClient,
  tableName: gateway.tables.directory,
  now: () => new Date(at),
});
const change = (scope: BudgetScope, at?: string) =>
  sendTransaction(table().client, [pendingChangeItem(table(at), scope)]);
const pendingCounts = async () =>
  (await listPendingChanges(table())).map(({ scope, changes }) => [
    scope.keyId ?? scope.organizationId,
    changes,
  ]);
const retry = (...options: string[]) => gateway.run(['budget', 'retry', ...options]);

const older = { organizationId: 'org_b', keyId: null };
const newer = { organizationId: 'org_a', keyId: 'key_1' };
const notification = { requestContext: { condition: 'RetryAttemptsExhausted' }, DDBStreamBatchInfo: {} };

it('starts each pending change again, the oldest first in its report, and deletes the notifications', async () => {
  await change(newer, '2026-11-23T12:30:00.000Z');
  await change(older);
  await change(older, '2026-11-23T12:40:00.000Z');
  for (let sent = 0; sent < 12; sent++) await gateway.queues.budgetChangesDeadLetters.send(notification);

  const { exitCode, stdout, stderr } = await retry('--json');

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const seconds = { pending_seconds: expect.any(Number) };
  expect(JSON.parse(stdout)).toEqual({
    restarted: [
      { organization_id: 'org_b', api_key_id: null, pending_since: '2026-11-23T12:00:00.000Z', ...seconds },
      {
        organization_id: 'org_a',
        api_key_id: 'key_1',
        pending_since: '2026-11-23T12:30:00.000Z',
        ...seconds,
      },
    ],
    deleted_notifications: 12,
  });
  expect(await pendingCounts()).toEqual([
    ['key_1', 2],
    ['org_b', 3],
  ]);
  expect(await gateway.queues.budgetChangesDeadLetters.visible()).toBe(0);
});

it('says how long each change has been pending', async () => {
  const ago = (seconds: number) => new Date(Date.now() - 1000 * seconds).toISOString();
  const ages = { org_1: 90 * 86_400, org_2: 5.5 * 3600, org_3: 150, org_4: -60 };
  for (const [organizationId, seconds] of Object.entries(ages)) {
    await change({ organizationId, keyId: null }, ago(seconds));
  }
  await gateway.queues.budgetChangesDeadLetters.send(notification);

  const { stdout } = await retry();

  const [headings, ...rows] = stdout.split('\n');
  expect(headings).toMatch(/^ORGANIZATION +KEY +PENDING SINCE +FOR$/);
  expect(
    rows
      .slice(0, 4)
      .map((row) => row.split(/ {3,}/))
      .map(([id, , , age]) => [id, age]),
  ).toEqual([
    ['org_1', '90 days'],
    ['org_2', '5 h'],
    ['org_3', '2 min'],
    ['org_4', '0 s'],
  ]);
  expect(rows.slice(4)).toEqual([
    '',
    'The changes were started again. "budget list" shows which are in effect, usually after half a minute.',
    '',
    '1 notification of failed changes deleted; one that fails again is in the queue again.',
    '',
  ]);
});

it('can be repeated, and creates no pending change', async () => {
  await gateway.queues.budgetChangesDeadLetters.send(notification);
  await retry();

  const { exitCode, stdout } = await retry();

  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout:
      'All budgets are in effect: there is nothing to start again.\n\n0 notifications of failed changes deleted; one that fails again is in the queue again.\n',
  });
  expect(await pendingCounts()).toEqual([]);
});
