/** Runs a scenario, waits until the gateway has settled, and checks the invariants. */

import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { createJsonTableUpdates } from '#lambdas/platform/dynamodb/json-updates.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { dynamoDbWithoutTimeouts } from '#test/support/aws/service-without-timeouts.ts';
import type { TestForm } from '#test/support/test-form.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { findLimitViolations } from './limits/invariants.ts';
import { createScenarioContext, type Effects, type Scenario } from './scenario.ts';
import type { FaultFixture } from './support/fault-fixture.ts';
import {
  checkInvariants,
  findCostViolations,
  type InvariantReport,
  type Observations,
} from './support/invariants.ts';
import type { TestOrganization } from './support/operator.ts';
import { respondNormally } from './support/provider-behaviours.ts';
import { recoverFromLog } from './support/recover-from-log.ts';
import { waitUntil } from './support/wait-until.ts';

export interface ScenarioResult extends InvariantReport, Effects {
  fault: string;
  requests: number;
  seconds: number;
}

interface ScenarioRun {
  fixture: FaultFixture;
  organization: TestOrganization;
  scenario: Scenario;
  form: TestForm;
}

const maxSettleMs: Record<TestForm, number> = { short: 25_000, long: 120_000 };

const twoMinutesMs = 120_000;
/** The leases of killed functions expire within two minutes. The long form waits for it, and the short one looks ahead. */
const leaseWaitMs: Record<TestForm, number> = { short: 0, long: twoMinutesMs };
const lookAheadMs: Record<TestForm, number> = { short: twoMinutesMs, long: 0 };

export async function runScenario(
  fixture: FaultFixture,
  { scenario, form }: Pick<ScenarioRun, 'scenario' | 'form'>,
): Promise<ScenarioResult> {
  const startedAtMs = Date.now();
  fixture.log.clear();
  fixture.provider.clear();
  const organization = await fixture.operator.createOrganization(scenario.limits);
  const run = { fixture, organization, scenario, form };
  const random = seededRandom(scenario.correlationIdPrefix.length);
  const context = createScenarioContext({ fixture, organization, form, random }, scenario);
  await scenario.run(context);
  await clearFaults(fixture);
  const violations = await settle(run);
  const observations = await readObservations(run);
  violations.push(...(await settleLimits(run, observations.entries)));
  const effects = {
    ...countEffects(observations.entries),
    queued: context.queuedCount(),
    notWritten: fixture.log.notWritten.size,
  };
  if (scenario.hasExpectedEffects?.(effects) === false)
    violations.push(`the fault did not have its expected effects: ${JSON.stringify(effects)}`);
  const report = (await context.overrides.checkInvariants?.()) ?? checkInvariants(observations);
  return {
    fault: scenario.fault,
    requests: context.overrides.requests ?? context.requests,
    ...effects,
    ...report,
    violations: [...violations, ...report.violations],
    seconds: Math.round((Date.now() - startedAtMs) / 1000),
  };
}

function countEffects(entries: readonly LogEntry[]): Pick<Effects, 'retries' | 'outcomes'> {
  const outcomes: Effects['outcomes'] = {};
  for (const { outcome } of entries) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return { retries: entries.reduce((sum, { retries }) => sum + (retries ?? 0), 0), outcomes };
}

async function clearFaults({ dynamoDb, sqs, engine, provider }: FaultFixture): Promise<void> {
  provider.behaviour = respondNormally;
  await engine.start();
  await Promise.all([dynamoDb.setFault(null), sqs.setFault(null)]);
}

/** Returns the conditions that were not met in time. */
async function settle(run: ScenarioRun): Promise<string[]> {
  const { fixture, organization, scenario, form } = run;
  const { provider, log, gateway, operator } = fixture;
  const queueUrl = gateway.connection.outputs.LostEntriesQueueUrl ?? '';
  const steps: [violation: string, isMet: () => Promise<boolean> | boolean][] = [
    ['the provider is still responding', () => provider.inFlight() === 0],
    ['a chat function is still running', () => scenario.killsChat !== true || fixture.kill('Chat') === 0],
    ['entries are still queued', async () => (await operator.queueLength(queueUrl)) === 0],
    [
      'entries are missing',
      async () => (await findMissingEntries(run)).every((correlationId) => isRecoverable(run, correlationId)),
    ],
  ];
  const violations: string[] = [];
  for (const [violation, isMet] of steps) {
    if (!(await waitUntil(maxSettleMs[form], isMet))) violations.push(violation);
  }
  const needsRecovery = log.notWritten.size > 0 || scenario.killsChat === true;
  if (needsRecovery && (await recoverFromLog(fixture)) !== 'all')
    violations.push('the log was not fully recovered');
  const entries = await operator.readEntries(organization);
  // Totals come first because they are cheap to read. Entries that are never counted fail the invariant check.
  const areCounted = async () =>
    findCostViolations({ entries, costs: await operator.readCosts(organization) }).length === 0 &&
    (await operator.countRollupDifferences(organization)) === 0;
  await waitUntil(maxSettleMs[form], areCounted);
  return violations;
}

/** Returns the violations that remain. */
async function settleLimits(
  { fixture, organization, scenario, form }: ScenarioRun,
  entries: readonly LogEntry[],
): Promise<string[]> {
  if (scenario.limits === undefined) return [];
  const apiKey = await fixture.operator.findKey(organization);
  const tableName = fixture.gateway.connection.outputs.BudgetCountersTableName ?? '';
  const dynamodb = dynamoDbWithoutTimeouts(fixture.engine.endpoint());
  const calls = { ...createJsonTableCalls(dynamodb), ...createJsonTableUpdates(dynamodb) };
  const table = { calls, tableName };
  let violations: string[] = [];
  await waitUntil(maxSettleMs[form] + leaseWaitMs[form], async () => {
    const nowMs = Date.now() + lookAheadMs[form];
    violations = await findLimitViolations(table, { apiKey, entries, nowMs });
    return violations.length === 0;
  });
  return violations;
}

async function findMissingEntries({ fixture, organization }: ScenarioRun): Promise<string[]> {
  const entries = await fixture.operator.readEntries(organization);
  const known = new Set(entries.map(({ session_id }) => session_id));
  return [...fixture.provider.calls.keys()].filter((correlationId) => !known.has(correlationId));
}

function isRecoverable({ fixture: { log }, scenario }: ScenarioRun, correlationId: string): boolean {
  return (
    log.notWritten.has(correlationId) || (scenario.killsChat === true && log.forwarded.has(correlationId))
  );
}

async function readObservations({ fixture, organization }: ScenarioRun): Promise<Observations> {
  const { operator, provider } = fixture;
  const [entries, costs, rollupDifferences] = await Promise.all([
    operator.readEntries(organization),
    operator.readCosts(organization),
    operator.countRollupDifferences(organization),
  ]);
  return { calls: provider.calls, entries, costs, rollupDifferences };
}
