/** What is under way around a rebuild. */
import type { InterruptedRun } from '../rollups/interrupted-run.ts';
import type { Random } from './random.ts';
import type { Reading } from './rebuild-readers.ts';
import type { Setup } from './rebuild-setup.ts';
import type { World } from './rebuild-world.ts';
import type { Kept } from './rollup-truth.ts';

export interface RebuildRun {
  run: InterruptedRun;
  timers: { atMs: number; go: () => void }[];
}

export interface Play extends Setup {
  random: Random;
  rebuilds: RebuildRun[];
  /** Only one at a time; two commands at once may leave rows behind that nobody reads. */
  hadTwoAtOnce: boolean;
  readings: Reading[];
  /** When the invocations of the rollup function began. */
  invocations: Map<InterruptedRun, number>;
  /** A run of `costs reprice`. */
  reprice: { id: string } | null;
  /** By generation: from when on its entries were counted. */
  countsFromMs: Map<number, number>;
  /** The first generation that was rebuilt and read. */
  firstRebuilt: number | null;
}

export function newPlay(setup: Setup, random: Random): Play {
  return {
    ...setup,
    random,
    rebuilds: [],
    hadTwoAtOnce: false,
    readings: [],
    invocations: new Map(),
    reprice: null,
    countsFromMs: new Map(),
    firstRebuilt: null,
  };
}

/** What cannot be counted any more when the first rebuild begins. */
export function keptOf({ kept, countsFromMs, firstRebuilt }: Play): Kept {
  return { kept, countsFromMs: countsFromMs.get(firstRebuilt ?? 0) ?? 0 };
}

export const isRunning = ({ run }: { run: InterruptedRun }) => run.outcome.kind === 'running';

export const costRollupsOf = ({ client, tables }: World) => ({ client, tableName: tables.costRollups });
