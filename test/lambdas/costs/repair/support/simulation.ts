import type { InterruptibleRun } from '#test/lambdas/costs/rollups/support/interruptible-run.ts';
import type { RebuildStart } from './expected-rows.ts';
import type { InitialState } from './initial-state.ts';
import type { Random } from './random.ts';
import type { RepairFixture } from './repair-fixture.ts';
import type { SimulatedReport } from './simulated-report.ts';

export interface RebuildRun {
  run: InterruptibleRun;
  timers: { atMs: number; resume: () => void }[];
}

export interface Simulation extends InitialState {
  random: Random;
  rebuilds: RebuildRun[];
  /** True when two rebuilds ran concurrently: they may leave obsolete rows behind. */
  hadConcurrentRebuilds: boolean;
  reports: SimulatedReport[];
  invocationStartsMs: Map<InterruptibleRun, number>;
  reprice: { id: string } | null;
  /** For each generation, the time from which its entries were counted. */
  countsFromMs: Map<number, number>;
  firstRebuiltGeneration: number | null;
}

export function createSimulation(setup: InitialState, random: Random): Simulation {
  return {
    ...setup,
    random,
    rebuilds: [],
    hadConcurrentRebuilds: false,
    reports: [],
    invocationStartsMs: new Map(),
    reprice: null,
    countsFromMs: new Map(),
    firstRebuiltGeneration: null,
  };
}

export function rebuildStartOf({
  originalRows,
  countsFromMs,
  firstRebuiltGeneration,
}: Simulation): RebuildStart {
  return { originalRows, countsFromMs: countsFromMs.get(firstRebuiltGeneration ?? 0) ?? 0 };
}

export const isRunning = ({ run }: { run: InterruptibleRun }) => run.status.kind === 'running';

export const rollupsTableOf = ({ client, tables }: RepairFixture) => ({
  client,
  tableName: tables.costRollups,
});
