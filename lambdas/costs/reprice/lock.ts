/** Holds an organization for one run of `costs reprice`, and saves the run's progress. */
import { randomUUID } from 'node:crypto';
import type { CostRollupsTable } from '../rollups/item.ts';
import {
  beginReprice,
  endReprice,
  leaveReprice,
  type RepriceProgress,
  type RepriceRun,
  saveReprice,
} from './run.ts';

export interface RepriceLock {
  /** The work that is left; kept up to date by whoever does it. */
  readonly progress: RepriceProgress;
  /** Whether an earlier run had begun. */
  readonly isResumed: boolean;
  readonly rollupsFromMs: number;
  /** To be called before each change: a process that was suspended for long may have lost the hold. */
  confirm(): Promise<void>;
  /** Saves the progress from time to time. */
  save(): Promise<void>;
  /** To be called when the task is done. */
  end(): Promise<void>;
  /** To be called when the task is not done, and none of its changes is in flight. */
  release(): Promise<void>;
}

export interface LockRequest {
  table: CostRollupsTable;
  organizationId: string;
  task: string;
  untilMs: number;
  /** Whether to continue where an earlier run of the same task stopped. */
  mayResume: boolean;
  now(): Date;
}

const saveIntervalMs = 1000;
/** So long after it was last saved, another run may have taken over. */
const trustedForMs = 30_000;

/** Rejects with an `Error` for the operator when the organization's rollups are being rebuilt. */
export async function acquireLock(request: LockRequest): Promise<RepriceLock> {
  const { table, organizationId, task, untilMs, mayResume, now } = request;
  const run: RepriceRun = { organizationId, id: randomUUID(), startedAt: now() };
  const begun = await beginReprice(table, run);
  if (begun === null) {
    throw new Error(
      `The rollups of ${organizationId} are being rebuilt: when "rollups rebuild" has finished, run this again`,
    );
  }
  const earlier = mayResume && begun.progress?.task === task ? begun.progress : null;
  const progress = earlier ?? { task, untilMs, nextShard: 0, reached: {} };
  let savedAtMs = run.startedAt.getTime();
  let saving: Promise<void> | null = null;
  const requireHold = (isHeld: boolean) => {
    if (!isHeld)
      throw new Error(`Another "costs reprice" has taken over ${organizationId}: this one has stopped`);
  };
  const save = async () => {
    const startedAtMs = now().getTime();
    requireHold(await saveReprice(table, run, progress));
    savedAtMs = startedAtMs;
  };
  const saveIfOlderThan = async (ageMs: number) => {
    if (now().getTime() - savedAtMs < ageMs) return;
    saving ??= save().finally(() => {
      saving = null;
    });
    await saving;
  };
  return {
    progress,
    isResumed: earlier !== null,
    rollupsFromMs: begun.rollupsFromMs,
    confirm: () => saveIfOlderThan(trustedForMs),
    save: () => saveIfOlderThan(saveIntervalMs),
    end: async () => requireHold(await endReprice(table, run, now())),
    release: async () => requireHold(await leaveReprice(table, run, { progress, endedAt: now() })),
  };
}
