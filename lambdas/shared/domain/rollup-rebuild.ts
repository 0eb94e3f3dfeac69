/**
 * How far the rebuild of an organization's rollups is.
 *
 * A rebuild makes a new generation of rows beside the one that is read. It counts every entry that was written before
 * an instant, `fromMs`, from the entries; the stream adds what is written from then on. When both have met, the new
 * generation is read instead of the former one, and the former one is deleted.
 */
import { timestampOfLogId } from './log-id.ts';
import { generationsAt, type RollupGeneration, type RollupRecord } from './rollup.ts';

/** The command that a rebuild is a part of: one that was stopped leaves out what it had done when it goes on. */
export interface RebuildRun {
  startedMs: number;
  /** Of all organizations, not of one that was named. */
  isOfAll: boolean;
}

/** What was settled when a rebuild began. */
export interface RebuildPlan {
  run: RebuildRun;
  /** Entries from this instant on are counted, the start of a day; rows of before are copied. 0 when there are none. */
  countsFromMs: number;
  /** When the first of these entries may expire: what was counted by then is complete. */
  countsUntilMs: number;
}

export interface Rebuild extends RollupGeneration, RebuildPlan {
  /** Whether the state was seen to have it before `fromMs`; if not, the stream may have passed over it. */
  isTimely: boolean;
  copied: CopyProgress | null;
  counted: CountProgress | null;
}

export interface CopyProgress {
  /** The partition that was being copied; `null` when all were. */
  partition: string | null;
  /** Its last row that was. */
  after: string | null;
}

export interface CountProgress {
  /** The last id that was counted. */
  after: string;
  entries: number;
}

/** A generation that nobody reads any more. */
export interface Discard {
  generation: number;
  /** By then whoever began to read it or to add to it has ended. */
  notBeforeMs: number;
  run: RebuildRun;
}

export interface RebuildState extends RollupGeneration {
  /** What is older was copied from the generation before, and not counted. 0 when all was counted. */
  countsFromMs: number;
  /** The highest generation that there ever was: none is used twice. */
  lastGeneration: number;
  rebuild: Rebuild | null;
  /** Prices are being changed: nothing can be rebuilt meanwhile. */
  isRepriced: boolean;
  /** When they were changed last; 0 when they never were. */
  repricedMs: number;
  discards: Discard[];
}

/** Each step is one conditional write; `false` says that the state is not what it was taken to be. */
export interface RebuildStore {
  /** Strongly consistent. */
  find(): Promise<RebuildState>;
  /** Begins a new generation, of which the stream's part is what is written from `fromMs` on. */
  begin(state: RebuildState, plan: RebuildPlan & { fromMs: number }): Promise<boolean>;
  confirmTimely(rebuild: Rebuild): Promise<boolean>;
  saveCopied(rebuild: Rebuild, progress: CopyProgress): Promise<boolean>;
  saveCounted(rebuild: Rebuild, progress: CountProgress): Promise<boolean>;
  /** From now on the new generation is read. */
  finish(state: RebuildState, rebuild: Rebuild, notBeforeMs: number): Promise<boolean>;
  /** The new generation comes to nothing. */
  abandon(rebuild: Rebuild, notBeforeMs: number): Promise<boolean>;
  /** Nothing is left of the generation. */
  endDiscard(discard: Discard): Promise<boolean>;
}

export type NotLacking = 'being rebuilt' | 'counted by a rebuild' | 'copied by a rebuild';

/**
 * Which generations lack a record that the stream brought and that was set aside. A rebuild has counted it with the other
 * entries; of days that a rebuild copies one cannot tell, since the rows may have had it from a rebuild before.
 */
export function generationsLacking(state: RebuildState, record: RollupRecord): number[] | NotLacking {
  const { entry, writtenAtMs } = record;
  const createdMs = timestampOfLogId(entry.id);
  if (state.rebuild !== null && createdMs < state.rebuild.countsFromMs) return 'being rebuilt';
  if (writtenAtMs >= state.fromMs) return generationsAt(state, writtenAtMs);
  return createdMs < state.countsFromMs ? 'copied by a rebuild' : 'counted by a rebuild';
}
