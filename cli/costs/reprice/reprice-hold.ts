/** Holds an organization for one run of `costs reprice`, and keeps how far the run came. */
import { randomUUID } from 'node:crypto';
import { AdminError } from '#cli/admin-error.ts';
import {
  beginReprice,
  endReprice,
  leaveReprice,
  type RepriceProgress,
  type RepriceRun,
  saveReprice,
} from '#lambdas/costs/reprice/run.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';

export interface RepriceHold {
  /** What is left, as it changes. */
  readonly progress: RepriceProgress;
  /** Whether an earlier run had begun. */
  readonly isResumed: boolean;
  readonly rollupsFromMs: number;
  /** To be called before each change: who was asleep for long may have lost the hold. */
  confirm(): Promise<void>;
  /** Keeps the progress, now and then. */
  save(): Promise<void>;
  /** The task is done. */
  end(): Promise<void>;
  /** The task is not done, and none of its changes is under way. */
  leave(): Promise<void>;
}

export interface HoldRequest {
  table: CostRollupsTable;
  organizationId: string;
  task: string;
  untilMs: number;
  /** Whether to go on where an earlier run of the same task stopped. */
  mayResume: boolean;
  now(): Date;
}

const saveIntervalMs = 1000;
const trustedForMs = 30_000;

export async function takeHold(request: HoldRequest): Promise<RepriceHold> {
  const { table, organizationId, task, untilMs, mayResume, now } = request;
  const run: RepriceRun = { organizationId, id: randomUUID(), startedAt: now() };
  const begun = await beginReprice(table, run);
  if (begun === null) {
    throw new AdminError(
      `The rollups of ${organizationId} are being rebuilt: when "rollups rebuild" has finished, run this again`,
    );
  }
  const earlier = mayResume && begun.progress?.task === task ? begun.progress : null;
  const progress = earlier ?? { task, untilMs, nextShard: 0, reached: {} };
  const saving = createSaving(table, run, progress, now);
  return { progress, isResumed: earlier !== null, rollupsFromMs: begun.rollupsFromMs, ...saving };
}

function createSaving(
  table: CostRollupsTable,
  run: RepriceRun,
  progress: RepriceProgress,
  now: () => Date,
): Pick<RepriceHold, 'confirm' | 'save' | 'end' | 'leave'> {
  let savedAtMs = run.startedAt.getTime();
  let saving: Promise<void> | null = null;
  const save = async () => {
    const startedAtMs = now().getTime();
    if (!(await saveReprice(table, run, progress))) throw lostHold(run);
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
    confirm: () => saveIfOlderThan(trustedForMs),
    save: () => saveIfOlderThan(saveIntervalMs),
    async end() {
      if (!(await endReprice(table, run, now()))) throw lostHold(run);
    },
    async leave() {
      if (!(await leaveReprice(table, run, { progress, endedAt: now() }))) throw lostHold(run);
    },
  };
}

function lostHold({ organizationId }: RepriceRun): AdminError {
  return new AdminError(`Another "costs reprice" has taken over ${organizationId}: this one has stopped`);
}
