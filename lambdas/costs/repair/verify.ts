/**
 * Verifies the cost rollups of an organization against its log entries: minutes and hours against the entries, days against
 * their hours and months against their days, in order of time, from the first day whose entries have not expired.
 */
import { hourMs } from '#lambdas/platform/duration.ts';
import { endOfPeriod, startOfPeriod } from '#lambdas/platform/period.ts';
import { findRollupState } from '../rollups/state.ts';
import { type Comparison, compareDay, type DayComparison } from './compare-entries.ts';
import { compareSums, type ParentPeriod } from './compare-sums.ts';
import { findCompleteEntries, type RepairDependencies } from './complete-entries.ts';
import { type Difference, differenceKey, maxDifferences } from './difference.ts';

interface VerifyRequest {
  organizationId: string;
  /** The verification starts with the day that contains this time. */
  fromMs: number;
  /** The maximum time from the write of an entry until the rollups include it. */
  settleMs: number;
  /** Called before each day. */
  onDay(progress: VerifyProgress): void;
}

export interface VerifyProgress {
  startMs: number;
  /** The time from which a later run has to continue: at most that of the first unconfirmed difference. */
  resumeMs: number;
  verification: Verification;
}

export interface Verification extends DayComparison {
  organizationId: string;
  /** The compared window; `null` when there are no entries. */
  window: { fromMs: number; toMs: number } | null;
}

/** The delay before each of the last two comparisons, so that a repeated difference is not a coincidence. */
export const finalRecheckDelayMs = 10_000;

/** Entries that expire within this time are not compared. */
const marginMs = hourMs;

export async function verifyOrganization(
  dependencies: RepairDependencies,
  request: VerifyRequest,
): Promise<Verification> {
  const { organizationId, settleMs } = request;
  const { directory, costRollups } = dependencies;
  for (;;) {
    const { generation } = await findRollupState(costRollups, organizationId);
    const logShards = await directory.logShardsOf(organizationId);
    const comparison = { organizationId, generation, logShards, settleMs };
    const verification = await verifyGeneration(dependencies, request, comparison);
    if (verification.differences.length === 0) return verification;
    const after = await findRollupState(costRollups, organizationId);
    const logShardsAfter = await directory.logShardsOf(organizationId);
    // Otherwise the generation may have been deleted, or shards added, during the comparison: compare again.
    if (after.generation === generation && logShardsAfter === logShards) return verification;
  }
}

async function verifyGeneration(
  dependencies: RepairDependencies,
  request: VerifyRequest,
  comparison: Comparison,
): Promise<Verification> {
  const { organizationId } = comparison;
  const completeEntries = await findCompleteEntries(dependencies, comparison, marginMs);
  const empty = { organizationId, window: null, differences: [], entries: 0, rows: 0, unsettledRows: 0 };
  if (completeEntries === null) return empty;
  const firstDay = startOfPeriod(
    'day',
    completeEntries.fromMs === 0 ? completeEntries.oldestMs : completeEntries.fromMs,
  );
  const fromMs = Math.max(firstDay, startOfPeriod('day', request.fromMs));
  const toMs = dependencies.now().getTime();
  const verification: Verification = { ...empty, window: { fromMs, toMs } };
  const unconfirmed: UnconfirmedDifferences[] = [];
  const compareParent = async (parent: ParentPeriod, foundAtMs: number) => {
    const differences = await compareSums(dependencies, comparison, parent);
    if (differences.length > 0) unconfirmed.push({ parent, foundAtMs, differences });
  };
  for (let startMs = fromMs; startMs < toMs; startMs = endOfPeriod('day', startMs)) {
    request.onDay({ startMs, resumeMs: unconfirmed[0]?.foundAtMs ?? startMs, verification });
    const nextDay = endOfPeriod('day', startMs);
    const day = await compareDay(dependencies, comparison, { startMs, endMs: nextDay });
    verification.differences.push(...day.differences);
    verification.entries += day.entries;
    verification.rows += day.rows;
    verification.unsettledRows += day.unsettledRows;
    await compareParent({ period: 'day', startMs }, startMs);
    if (nextDay >= toMs || nextDay === endOfPeriod('month', startMs)) {
      await compareParent({ period: 'month', startMs: startOfPeriod('month', startMs) }, startMs);
    }
    const unconfirmedCount = unconfirmed.reduce((count, { differences }) => count + differences.length, 0);
    if (verification.differences.length + unconfirmedCount >= maxDifferences) break;
  }
  verification.differences.push(...(await confirmDifferences(dependencies, comparison, unconfirmed)));
  return verification;
}

/** Differences found for a parent period, which may be caused by concurrent writes. */
interface UnconfirmedDifferences {
  parent: ParentPeriod;
  /** The day whose comparison preceded that of the parent period. */
  foundAtMs: number;
  differences: Difference[];
}

/**
 * Resolves to the differences that persist.
 *
 * Rows are neither read nor updated at the same instant: an entry that is written, repriced or recovered during the
 * comparison may be in one row and not yet in the next. So a difference is reported only if it is unchanged after all writes
 * in flight have been counted.
 */
async function confirmDifferences(
  dependencies: RepairDependencies,
  comparison: Comparison,
  unconfirmed: UnconfirmedDifferences[],
): Promise<Difference[]> {
  let unresolved = unconfirmed;
  for (const waitMs of [comparison.settleMs, finalRecheckDelayMs, finalRecheckDelayMs]) {
    if (unresolved.length === 0) return [];
    await dependencies.job.wait(waitMs, 'until entries in flight have been counted');
    const persistent: UnconfirmedDifferences[] = [];
    for (const candidate of unresolved) {
      const current = await compareSums(dependencies, comparison, candidate.parent);
      const currentKeys = new Set(current.map(differenceKey));
      const differences = candidate.differences.filter((one) => currentKeys.has(differenceKey(one)));
      if (differences.length > 0) persistent.push({ ...candidate, differences });
    }
    unresolved = persistent;
  }
  return unresolved.flatMap(({ differences }) => differences);
}
