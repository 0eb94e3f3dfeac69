/** Simulates the rebuild command under test, one DynamoDB call at a time, and concurrent reports. */
import { expect } from 'vitest';
import { rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import { findRebuildState } from '#lambdas/costs/repair/rebuild-state.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { callOutcomes, startRun } from '#test/lambdas/costs/rollups/support/interruptible-run.ts';
import { expectedRows, sumDailyRequests } from './expected-rows.ts';
import { addedRequests } from './initial-state.ts';
import { interruptedFields, type RepairFixture } from './repair-fixture.ts';
import { type ReportResult, startReport } from './simulated-report.ts';
import { isRunning, type RebuildRun, rebuildStartOf, rollupsTableOf, type Simulation } from './simulation.ts';

export async function continueRebuild(simulation: Simulation) {
  const { random, rebuilds } = simulation;
  const running = rebuilds.filter(isRunning);
  if (running.length === 0 || (running.length === 1 && random.below(60) === 0))
    return startRebuild(simulation);
  const { run } = random.pick(running);
  const hasFailures = random.below(4) === 0;
  for (let steps = random.pick([1, 1, 2, 5, 12, 30, 60]); steps > 0; steps -= 1)
    await run.step(
      random.below(40),
      hasFailures && random.below(8) === 0 ? random.pick(callOutcomes) : 'succeeded',
    );
  await recordProgress(simulation);
}

export async function startRebuild(simulation: Simulation) {
  const { fixture } = simulation;
  const timers: RebuildRun['timers'] = [];
  const job = {
    signal: new AbortController().signal,
    report() {},
    wait: (ms: number) => new Promise<void>((resume) => timers.push({ atMs: fixture.nowMs + ms, resume })),
  };
  const run = await startRun(fixture.client, (client) =>
    rebuildRollups(fixture.createDependencies(client, job), {
      organizationIds: [fixture.organizationId],
      coversAllOrganizations: false,
    }),
  );
  simulation.hadConcurrentRebuilds ||= simulation.rebuilds.some(isRunning);
  simulation.rebuilds.push({ run, timers });
}

export async function recordProgress(simulation: Simulation) {
  const { fixture, countsFromMs } = simulation;
  const { rebuild, generation } = await findRebuildState(rollupsTableOf(fixture), fixture.organizationId);
  if (rebuild !== null) countsFromMs.set(rebuild.generation, rebuild.countsFromMs);
  if (generation > 0) simulation.firstRebuiltGeneration ??= generation;
}

export async function continueReport(simulation: Simulation) {
  const { reports, random } = simulation;
  const running = reports.filter(isRunning);
  if (running.length === 0) reports.push(await startReport(simulation.fixture));
  for (const { run } of running) {
    for (let steps = random.below(6); steps > 0; steps -= 1) await run.step(0, 'succeeded');
    if (run.status.kind === 'returned') checkReport(simulation, run.status.result);
  }
}

function isReplacedPlaceholder({ before }: RepairFixture['changes'][number]): boolean {
  return before.outcome === interruptedFields.outcome;
}

/** Expects either the corrupted totals, or rebuilt ones with all entries from before the cutover and no duplicates. */
function checkReport(simulation: Simulation, { state, requests }: ReportResult) {
  if (state.generation === 0) return expect(requests).toBeGreaterThanOrEqual(addedRequests);
  const { fixture } = simulation;
  const isBeforeCutover = ({ entry }: StoredLogEntry) =>
    (fixture.firstWrittenMs.get(entry.id) ?? 0) < state.cutoverMs;
  const entries = fixture.entries.filter(isBeforeCutover);
  expect(requests).toBeGreaterThanOrEqual(
    sumDailyRequests(expectedRows({ ...fixture, entries }, rebuildStartOf(simulation))),
  );
  // A request can be in two rows while it moves from the row of its placeholder to that of its service tier.
  const replacedPlaceholders = fixture.changes.filter(isReplacedPlaceholder).length;
  expect(requests).toBeLessThanOrEqual(
    sumDailyRequests(expectedRows(fixture, rebuildStartOf(simulation))) + replacedPlaceholders,
  );
}
