/** Repairs of the rollups and the counters of budgets that follow from them. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { applyBudget } from '#lambdas/costs/budgets/apply-budget.ts';
import type { BudgetDependencies } from '#lambdas/costs/budgets/dependencies.ts';
import { createBudgetHandler } from '#lambdas/costs/budgets/handler.ts';
import { createCompletenessDependencies } from '#lambdas/costs/completeness.ts';
import { rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import { replayRecord } from '#lambdas/costs/repair/replay-record.ts';
import { createQuarantine } from '#lambdas/costs/rollups/quarantine.ts';
import { toRollupRecord } from '#lambdas/costs/rollups/row-updates.ts';
import { createAdmit } from '#lambdas/limits/admission.ts';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { requestUpdates } from '#lambdas/limits/budgets/store.ts';
import { periodOfCounter, reservedUsd } from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { findCounterItem } from '#lambdas/limits/counters/table.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { createTestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { streamRecord } from '#test/support/reports/fixture.ts';
import {
  createSequentialRepairFixture,
  type SequentialRepairFixture,
} from './support/sequential-repair-fixture.ts';

const now = '2026-03-14T15:09:26.000Z';
const fields = { api_key_id: 'key_A', provider: 'openai', model: 'gpt-4o', service_tier: null };

let database: EmbeddedDynamoDB;
let tables: TestTables;
let fixture: SequentialRepairFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = await createTables(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  fixture = createSequentialRepairFixture({ ...tables, client: database.documentClient }, now);
  await fixture.writeEntry('2026-03-14T10:00:00.000Z', { ...fields, cost_usd: '2' });
  await fixture.writeEntry('2026-03-03T10:00:00.000Z', { ...fields, cost_usd: '3' });
  await fixture.processStream();
});

const client = () => database.documentClient;
const clock = () => new Date(fixture.nowMs);
const directoryTable = () => ({ client: client(), tableName: tables.directory, now: clock });
const budgetCounters = () => ({ client: client(), tableName: tables.budgetCounters });
const costRollups = () => ({ client: client(), tableName: tables.costRollups });
const scope = () => ({ organizationId: fixture.organizationId, keyId: null });

function applyChanges(): Promise<void> {
  const dependencies: BudgetDependencies = {
    directoryTable: directoryTable(),
    budgetCounters: budgetCounters(),
    costRollups: costRollups(),
    logShardsOf: async () => fixture.logShards,
    ...createCompletenessDependencies({
      logEntries: { client: client(), tableName: tables.logEntries },
      costRollups: costRollups(),
      now: clock,
    }),
    newCounterId: () => 'counter-1',
    async wait(milliseconds) {
      fixture.nowMs += milliseconds;
    },
  };
  const handler = createBudgetHandler({
    ...dependencies,
    apply: (applied, wait) => applyBudget({ ...dependencies, wait }, applied),
  });
  return handler({ scopes: [scope()], stopAtMs: Number.POSITIVE_INFINITY });
}

async function setMonthlyBudget() {
  const budgetTables = { directoryTable: directoryTable(), budgetCounters: budgetCounters() };
  const budget = { amountUsd: '100', hard: true, allowsUnpriced: false };
  await setBudget(budgetTables, scope(), 'month', budget, createTestAuditTrail(database, tables));
  await applyChanges();
}

async function march() {
  const counter = (await findCounterItem(budgetCounters(), counterKey(scope()))) ?? expect.fail();
  const { spentUsd, remainingUsd } = periodOfCounter(counter, '2026-03');
  return { spent: spentUsd, remaining: remainingUsd, reserved: reservedUsd(counter, fixture.nowMs) };
}

it('takes the corrected sums from a rebuild', async () => {
  await fixture.addToRow('totals#month#0 2026-03#openai//gpt-4o', { requests: 1, cost_usd: '40' });
  await setMonthlyBudget();
  expect(await march()).toEqual({ spent: '45', remaining: '55', reserved: '0' });

  await rebuildRollups(
    { ...fixture.dependencies(), onRebuilt: (id) => requestUpdates(directoryTable(), id, { recount: true }) },
    { organizationIds: [fixture.organizationId], coversAllOrganizations: false },
  );
  await applyChanges();

  expect(await march()).toEqual({ spent: '5', remaining: '95', reserved: '0' });
});

it('settles a replayed record once, although a recount was later than it', async () => {
  await setMonthlyBudget();
  const apiKey = requestKey({
    id: 'key_A',
    organization_id: fixture.organizationId,
    organization_budget: { id: 'counter-1', shards: 1, allows_unpriced: false },
  });
  const receivedAtMs = fixture.nowMs;
  const admit = createAdmit({
    calls: tableCallsAt(database.endpoint),
    tableName: tables.budgetCounters,
    now: clock,
    onFailure: expect.fail,
  });
  const { reservation, lease } = await admit({ apiKey, logShard: 0, receivedAtMs, usd: '7', tokens: 0 });
  await lease?.end({ costUsd: '6', tokens: 0 });
  const entry = logEntry({
    id: createLogId(receivedAtMs),
    organization_id: fixture.organizationId,
    ...fields,
    cost_usd: '6',
    reserved_usd: '7',
    pending_usd: '6',
    budget_counters: reservation?.counters ?? null,
  });
  const record = toRollupRecord(streamRecord(entry, 900, receivedAtMs));
  await createQuarantine(costRollups(), clock).add('shardId-9', ['900']);
  const replay = () =>
    replayRecord(
      { costRollups: costRollups(), budgetCounters: budgetCounters(), now: clock, pause: async () => {} },
      { shardId: 'shardId-9', record },
    );
  fixture.nowMs += 60_000;
  await requestUpdates(directoryTable(), fixture.organizationId, { recount: true });
  await applyChanges();
  expect(await march()).toEqual({ spent: '5', remaining: '89', reserved: '6' });

  const results = [await replay(), await replay()];

  expect(results).toEqual(['added', 'added before']);
  expect(await march()).toEqual({ spent: '11', remaining: '89', reserved: '0' });
});
