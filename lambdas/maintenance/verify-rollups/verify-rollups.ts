/**
 * Verifies the rollups of all organizations, from the previous day (UTC) on.
 *
 * Each organization is checked once, without waiting. Those with a difference are checked again after all others, now with
 * the pauses of `rollups verify`: what is being counted is a difference only for moments. An organization that cannot be
 * checked blocks no other one, and is given up after some runs.
 */

import type { DirectoryReader } from '#lambdas/access/directory.ts';
import { createCompletenessDependencies, findCompleteUntil } from '#lambdas/costs/completeness.ts';
import type { RepairDependencies } from '#lambdas/costs/repair/complete-entries.ts';
import { type Verification, verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import { rollupDelayMs } from '#lambdas/costs/rollups/rollup.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { createSlots } from '#lambdas/platform/concurrency.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { parsePeriodText, periodText } from '#lambdas/platform/period.ts';
import { errorFields, type Log } from '#lambdas/platform/telemetry/log.ts';
import { shardsOf } from '#lambdas/request-log/table/scan.ts';
import type { ScheduledRun } from '../scheduled-run.ts';
import { findLastNight, type Night, saveNight } from './night.ts';

export interface VerificationDependencies extends Omit<RepairDependencies, 'directory' | 'job'> {
  directory: Pick<DirectoryReader, 'listOrganizations' | 'logShardsOf'>;
  /** Rejects when the run has to end. */
  wait(milliseconds: number): Promise<void>;
  log: Log;
}

const maxConcurrentChecks = 20;

/** The runs that verify none of the postponed organizations before these are given up. */
export const maxRepeats = 4;

/** Resolves also if time runs out: the next run then goes on. Does nothing once the night's work is done. */
export async function verifyRollups(
  dependencies: VerificationDependencies,
  run: ScheduledRun,
): Promise<void> {
  const day = periodText('day', run.atMs - dayMs);
  const last = await findLastNight(dependencies.costRollups);
  const night = last?.day === day ? last : newNight(day, last?.revision ?? 0);
  if (night.isComplete) return;
  try {
    const checked = await checkOrganizations(dependencies, run, night);
    if (checked !== null) await finishNight(dependencies, run, checked);
  } catch (error) {
    if (!run.signal.aborted) throw error;
    dependencies.log.info('rollups_verification_continues', { day, reason: 'out_of_time' });
  }
}

function newNight(day: string, revision: number): Night {
  const counts = { repeats: 0, organizations: 0, differences: 0, unverified: 0 };
  return { day, after: '', postponed: [], ...counts, isComplete: false, revision };
}

/** Resolves to `null` if another run has taken over. */
async function checkOrganizations(
  dependencies: VerificationDependencies,
  run: ScheduledRun,
  start: Night,
): Promise<Night | null> {
  const { directory, costRollups } = dependencies;
  const ids = (await directory.listOrganizations()).map(({ id }) => id).sort();
  let night: Night | null = start;
  for (const id of ids.filter((each) => each > start.after)) {
    if (night === null) return null;
    run.signal.throwIfAborted();
    const result = (await isCorrect(dependencies, run, id, night.day))
      ? { organizations: night.organizations + 1 }
      : { postponed: [...night.postponed, id] };
    night = await saveNight(costRollups, { ...night, ...result, after: id });
  }
  return night;
}

/** False also if that would need a pause, or if the check fails: the second one logs the error. */
async function isCorrect(
  dependencies: VerificationDependencies,
  run: ScheduledRun,
  organizationId: string,
  day: string,
): Promise<boolean> {
  const wait = () => Promise.reject(new Error('The first check makes no pauses'));
  return verify({ ...dependencies, wait }, run, organizationId, day).then(
    ({ differences }) => differences.length === 0,
    () => false,
  );
}

async function finishNight(
  dependencies: VerificationDependencies,
  run: ScheduledRun,
  checked: Night,
): Promise<void> {
  const { costRollups, log } = dependencies;
  const repeated = checked.postponed.length === 0 ? checked : await repeatChecks(dependencies, run, checked);
  const { postponed, repeats } = repeated;
  if (postponed.length > 0 && repeats < maxRepeats) {
    await saveNight(costRollups, repeated);
    const { day, organizations } = repeated;
    const unfinished = { organizations, postponed: postponed.length };
    log.info('rollups_verification_continues', { day, reason: 'postponed', ...unfinished });
    return;
  }
  const night = { ...repeated, unverified: postponed.length, isComplete: true };
  const { day, organizations, differences, unverified } = night;
  // Before the item says so: a repeated line is better than a missing one.
  log.info(
    'rollups_verified',
    { day, organizations, differences, unverified },
    { ...(unverified === 0 && { VerificationRuns: 1 }) },
  );
  await saveNight(costRollups, night);
}

async function repeatChecks(
  dependencies: VerificationDependencies,
  run: ScheduledRun,
  night: Night,
): Promise<Night> {
  const rowCounts = new Map<string, number>();
  const slots = createSlots(maxConcurrentChecks);
  // Most of the time of a check is pauses, which all of them make at the same time.
  const wait = (milliseconds: number) => slots.free(() => dependencies.wait(milliseconds));
  const checks = night.postponed.map((id) =>
    slots.use(async () => {
      const rowCount = await countDifferences({ ...dependencies, wait }, run, id, night.day);
      if (rowCount !== null) rowCounts.set(id, rowCount);
    }),
  );
  await Promise.all(checks);
  return {
    ...night,
    postponed: night.postponed.filter((id) => !rowCounts.has(id)),
    repeats: rowCounts.size > 0 ? night.repeats : night.repeats + 1,
    organizations: night.organizations + rowCounts.size,
    differences: night.differences + [...rowCounts.values()].reduce((sum, count) => sum + count, 0),
  };
}

/** Resolves to `null` if the organization cannot be verified now. */
async function countDifferences(
  dependencies: VerificationDependencies,
  run: ScheduledRun,
  organizationId: string,
  day: string,
): Promise<number | null> {
  const { log } = dependencies;
  const fields = { organization_id: organizationId, day };
  try {
    if (await isCountingDelayed(dependencies, organizationId)) {
      await dependencies.wait(rollupDelayMs);
      if (await isCountingDelayed(dependencies, organizationId)) {
        log.error('rollups_not_verified', { ...fields, reason: 'counting_delayed' });
        return null;
      }
    }
    const { differences } = await verify(dependencies, run, organizationId, day);
    const rowCount = differences.length;
    // The metric at once: the night may not come to its end.
    if (rowCount > 0)
      log.error('rollup_difference', { ...fields, row_count: rowCount }, { RollupDifferences: rowCount });
    return rowCount;
  } catch (error) {
    const reason = run.signal.aborted ? 'out_of_time' : 'error';
    log.error('rollups_not_verified', { ...fields, reason, ...errorFields(error) });
    return null;
  }
}

function verify(
  dependencies: VerificationDependencies,
  { signal }: ScheduledRun,
  organizationId: string,
  day: string,
): Promise<Verification> {
  const { wait } = dependencies;
  return verifyOrganization(
    { ...dependencies, job: { signal, report: () => {}, wait } },
    { organizationId, fromMs: parsePeriodText(day), settleMs: rollupDelayMs, onDay: () => {} },
  );
}

/** True while entries are waiting to be counted for longer than verification allows for. */
async function isCountingDelayed(
  { directory, logEntries, costRollups, now }: VerificationDependencies,
  organizationId: string,
): Promise<boolean> {
  const state = await findRollupState(costRollups, organizationId);
  const shards = shardsOf(organizationId, await directory.logShardsOf(organizationId));
  const allowedMs = now().getTime() - rollupDelayMs;
  const completeUntilMs = await findCompleteUntil(
    createCompletenessDependencies({ logEntries, costRollups, now }),
    state,
    shards,
    allowedMs,
  );
  return completeUntilMs < allowedMs;
}
