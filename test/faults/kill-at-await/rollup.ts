/** Kills the rollup function at the awaits of two batches from two shards, which are then redelivered. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { streamRecord } from '#test/support/reports/fixture.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { findCostViolations, type InvariantReport } from '../support/invariants.ts';
import type { TestOrganization } from '../support/operator.ts';
import { killAtAwaits } from './kill-at-awaits.ts';
import { readFunctionEnvironment, startKillableFunction } from './killable-function.ts';
import { createEntries } from './log-entries.ts';

/** The input of one killed process. Each has its own organization, so that its totals show the effect of one kill. */
interface KilledRun {
  point: number;
  organization: TestOrganization;
  entries: LogEntry[];
}

const entriesPerRun = 4;

export const rollupAwaitScenario: Scenario = {
  fault: 'the rollup function is killed at its awaits, and its batches are redelivered',
  correlationIdPrefix: 'rollup-await',
  requests: { short: 12, long: 0 },
  async run(context) {
    const { fixture, form } = context;
    const variables = readFunctionEnvironment(fixture, 'CostRollup');
    const runs: KilledRun[] = [];
    await killAtAwaits({
      environment: variables,
      form,
      onLine: fixture.log.add,
      async createEvents(point) {
        const organization = await fixture.operator.createOrganization();
        const run = { point, organization, entries: createEntries(organization, entriesPerRun) };
        runs.push(run);
        return batches(run);
      },
    });
    const redelivery = await startKillableFunction({
      environment: variables,
      onLine: fixture.log.add,
    });
    for (const run of runs) for (const batch of redeliveredBatches(run)) await redelivery.invoke(batch);
    await redelivery.stop();
    context.overrides = {
      requests: runs.length * entriesPerRun,
      checkInvariants: () => checkRollups(context, runs),
    };
  },
};

function batches({ entries }: KilledRun): object[] {
  const half = entriesPerRun / 2;
  return [batch('shardId-1', entries.slice(0, half)), batch('shardId-2', entries.slice(half))];
}

/** Lambda redelivers a failed batch as a whole, or bisected. */
function redeliveredBatches(run: KilledRun): object[] {
  const { point, entries } = run;
  if (point % 2 === 0) return batches(run);
  const half = entriesPerRun / 2;
  const records = entries.slice(0, half);
  return [
    batch('shardId-1', records.slice(0, 1)),
    batch('shardId-1', records.slice(1), 2),
    batch('shardId-2', entries.slice(half)),
  ];
}

function batch(shardId: string, entries: readonly LogEntry[], firstSequenceNumber = 1): object {
  return {
    shardId,
    Records: entries.map((entry, index) => streamRecord(entry, firstSequenceNumber + index)),
  };
}

async function checkRollups(
  { fixture: { operator } }: ScenarioContext,
  runs: readonly KilledRun[],
): Promise<InvariantReport> {
  const report: InvariantReport = {
    received: 0,
    entries: 0,
    interrupted: 0,
    lost: 0,
    duplicated: 0,
    violations: [],
  };
  for (const { point, organization, entries } of runs) {
    const costs = await operator.readCosts(organization);
    const excess = costs.requests - entries.length;
    report.received += entries.length;
    report.entries += costs.requests;
    report.lost += Math.max(0, -excess);
    report.duplicated += Math.max(0, excess);
    report.violations.push(
      ...findCostViolations({ entries, costs }).map((text) => `killed at ${point}: ${text}`),
    );
  }
  return report;
}
