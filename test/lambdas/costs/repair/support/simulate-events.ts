/** Simulates random events during a rebuild, and then completes the rebuild and the counting of all entries. */
import { findRebuildState } from '#lambdas/costs/repair/rebuild-state.ts';
import { putEntry } from './repair-fixture.ts';
import { continueRebuild, continueReport, recordProgress, startRebuild } from './simulate-rebuild.ts';
import { continueReprice, finishReprice } from './simulate-reprice.ts';
import {
  addLogShard,
  completeWrite,
  continueStream,
  drainShards,
  replaceRandomPlaceholder,
  startWrite,
  timeOutInvocation,
} from './simulate-requests.ts';
import { advance, advanceDay, advanceRandomly } from './simulate-time.ts';
import { isRunning, rollupsTableOf, type Simulation } from './simulation.ts';

const events = [
  { weight: 6, simulate: startWrite },
  { weight: 6, simulate: completeWrite },
  { weight: 2, simulate: replaceRandomPlaceholder },
  { weight: 14, simulate: continueStream },
  { weight: 1, simulate: timeOutInvocation },
  { weight: 22, simulate: continueRebuild },
  { weight: 5, simulate: continueReport },
  { weight: 3, simulate: continueReprice },
  { weight: 1, simulate: addLogShard },
  { weight: 7, simulate: advanceRandomly },
  { weight: 1, simulate: advanceDay },
];

export async function simulateEvents(simulation: Simulation, count: number): Promise<void> {
  const weightedEvents = events.flatMap(({ weight, simulate }) =>
    Array<typeof simulate>(weight).fill(simulate),
  );
  for (let index = 0; index < count; index += 1) await simulation.random.pick(weightedEvents)(simulation);
}

/** Completes all runs without further failures, with at least one rebuild. */
export async function completeSimulation(simulation: Simulation): Promise<void> {
  const { fixture } = simulation;
  for (const report of simulation.reports) if (isRunning(report)) await report.run.finish();
  for (const stored of fixture.pendingWrites.splice(0)) await putEntry(fixture, stored);
  if (simulation.reprice !== null) await finishReprice(simulation, simulation.reprice);
  await drainShards(fixture);
  do {
    if (!simulation.rebuilds.some(isRunning)) await startRebuild(simulation);
    for (const { run, timers } of simulation.rebuilds) {
      while (isRunning({ run }) && timers.length === 0) await run.step(0, 'succeeded');
    }
    await recordProgress(simulation);
    if (simulation.rebuilds.some(isRunning)) await advance(simulation, 30_000);
    else if (!(await isComplete(simulation))) await advanceDay(simulation);
  } while (simulation.rebuilds.some(isRunning) || !(await isComplete(simulation)));
  await drainShards(fixture);
}

async function isComplete({ fixture }: Simulation): Promise<boolean> {
  const state = await findRebuildState(rollupsTableOf(fixture), fixture.organizationId);
  const { rebuild, discards, generation } = state;
  return rebuild === null && discards.length === 0 && generation > 0;
}
