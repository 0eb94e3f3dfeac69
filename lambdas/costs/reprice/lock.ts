/** Locks an organization for one run of `costs reprice`, and saves the run's progress. */
import { randomUUID } from 'node:crypto';
import type { CostRollupsTable } from '../rollups/item.ts';
import {
  beginReprice,
  endReprice,
  type RepriceProgress,
  type RepriceRun,
  releaseReprice,
  saveReprice,
} from './run.ts';

export interface RepriceLock {
  /** The remaining work. The caller keeps it up to date. */
  readonly progress: RepriceProgress;
  readonly isResumed: boolean;
  readonly cutoverMs: number;
  /** Call before each change. Rejects when a run that was suspended for long has lost the lock. */
  confirm(): Promise<void>;
  /** Saves the progress, at most once a second. */
  save(): Promise<void>;
  /** Call when the task is complete. */
  end(): Promise<void>;
  /** Call when the task is incomplete and none of its changes is in flight. */
  release(): Promise<void>;
}

interface LockRequest {
  table: CostRollupsTable;
  organizationId: string;
  task: string;
  untilMs: number;
  mayResume: boolean;
  now(): Date;
}

const saveIntervalMs = 1000;
/** The age of the last save after which the lock has to be confirmed before a change. */
const confirmAfterMs = 30_000;

/** Takes over the lock of any other run. Rejects when the organization's rollups are being rebuilt. */
export async function acquireLock(request: LockRequest): Promise<RepriceLock> {
  const { table, organizationId, task, untilMs, mayResume, now } = request;
  const run: RepriceRun = { organizationId, id: randomUUID(), startedAt: now() };
  const started = await beginReprice(table, run);
  if (started === null) {
    throw new Error(
      `The rollups of ${organizationId} are being rebuilt: run this again after "rollups rebuild" has finished`,
    );
  }
  const resumed = mayResume && started.progress?.task === task ? started.progress : null;
  const progress = resumed ?? { task, untilMs, nextShard: 0, reached: {} };
  let savedAtMs = run.startedAt.getTime();
  let saveInFlight: Promise<void> | null = null;
  const assertLocked = (isLocked: boolean) => {
    if (!isLocked)
      throw new Error(
        `Another "costs reprice" has taken over the lock of ${organizationId}: this one has stopped`,
      );
  };
  const save = async () => {
    const startedAtMs = now().getTime();
    assertLocked(await saveReprice(table, run, progress));
    savedAtMs = startedAtMs;
  };
  const saveIfOlderThan = async (ageMs: number) => {
    if (now().getTime() - savedAtMs < ageMs) return;
    saveInFlight ??= save().finally(() => {
      saveInFlight = null;
    });
    await saveInFlight;
  };
  return {
    progress,
    isResumed: resumed !== null,
    cutoverMs: started.cutoverMs,
    confirm: () => saveIfOlderThan(confirmAfterMs),
    save: () => saveIfOlderThan(saveIntervalMs),
    end: async () => assertLocked(await endReprice(table, run, now())),
    release: async () => assertLocked(await releaseReprice(table, run, { progress, endedAt: now() })),
  };
}
