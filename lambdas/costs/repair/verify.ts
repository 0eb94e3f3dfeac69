/**
 * Compares the cost rollups of an organization with its log entries: minutes and hours with the entries themselves, days
 * with their hours and months with their days, in order of time, as far back as entries have not expired.
 */
import { endOfPeriod, startOfPeriod } from '../rollups/period.ts';
import { findRollupState } from '../rollups/state.ts';
import { type Comparison, compareDay, type DayComparison } from './compare-entries.ts';
import { compareSums, type Span } from './compare-sums.ts';
import { findCompleteEntries, type RepairDependencies } from './complete-entries.ts';
import { type Difference, differenceKey, maxDifferences } from './difference.ts';

export interface VerifyRequest {
  organizationId: string;
  /** The day of this instant is the first that is compared. */
  fromMs: number;
  /** How long after it was written an entry has certainly been counted. */
  settleMs: number;
  /** Called before each day. */
  onDay(progress: VerifyProgress): void;
}

export interface VerifyProgress {
  /** The day that is compared next. */
  startMs: number;
  /** A later run has to continue here: no later than the first difference that is not confirmed yet. */
  resumeMs: number;
  /** The result up to then. */
  verification: Verification;
}

export interface Verification extends DayComparison {
  organizationId: string;
  /** The time that was compared; `null` when there are no entries. */
  window: { fromMs: number; toMs: number } | null;
}

/** Entries that expire sooner are not compared. */
const marginMs = 3_600_000;

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
    // Otherwise this generation was being deleted, or there were entries on further shards: compare again.
    if (after.generation === generation && logShardsAfter === logShards) return verification;
  }
}

async function verifyGeneration(
  dependencies: RepairDependencies,
  request: VerifyRequest,
  comparison: Comparison,
): Promise<Verification> {
  const { organizationId } = comparison;
  const complete = await findCompleteEntries(dependencies, comparison, marginMs);
  const nothing = { organizationId, window: null, differences: [], entries: 0, rows: 0, unsettledRows: 0 };
  if (complete === null) return nothing;
  const firstDay = startOfPeriod('day', complete.fromMs === 0 ? complete.oldestMs : complete.fromMs);
  const fromMs = Math.max(firstDay, startOfPeriod('day', request.fromMs));
  const toMs = dependencies.now().getTime();
  const verification: Verification = { ...nothing, window: { fromMs, toMs } };
  const suspicions: Suspicion[] = [];
  const suspect = async (span: Span, foundOnMs: number) => {
    const differences = await compareSums(dependencies, comparison, span);
    if (differences.length > 0) suspicions.push({ span, foundOnMs, differences });
  };
  for (let startMs = fromMs; startMs < toMs; startMs = endOfPeriod('day', startMs)) {
    request.onDay({ startMs, resumeMs: suspicions[0]?.foundOnMs ?? startMs, verification });
    const nextDay = endOfPeriod('day', startMs);
    const day = await compareDay(dependencies, comparison, { startMs, endMs: nextDay });
    verification.differences.push(...day.differences);
    verification.entries += day.entries;
    verification.rows += day.rows;
    verification.unsettledRows += day.unsettledRows;
    await suspect({ period: 'day', startMs }, startMs);
    if (nextDay >= toMs || nextDay === endOfPeriod('month', startMs)) {
      await suspect({ period: 'month', startMs: startOfPeriod('month', startMs) }, startMs);
    }
    const suspected = suspicions.reduce((count, { differences }) => count + differences.length, 0);
    if (verification.differences.length + suspected >= maxDifferences) break;
  }
  verification.differences.push(...(await confirmSuspicions(dependencies, comparison, suspicions)));
  return verification;
}

/** Differences between the sums of a span that have not been confirmed yet. */
interface Suspicion {
  span: Span;
  /** The day after whose comparison the span was compared. */
  foundOnMs: number;
  differences: Difference[];
}

/** Between the second look and the third, so that finding the same difference again is no coincidence. */
const lastLookMs = 10_000;

/**
 * Resolves to the differences that persist.
 *
 * Rows cannot all be read at the same moment, and the stream adds to one after the other: an entry that was written,
 * priced again or put back meanwhile may be in one row and not yet in the next. So a difference counts only if it is
 * still the same after everything that was in flight has been counted.
 */
async function confirmSuspicions(
  dependencies: RepairDependencies,
  comparison: Comparison,
  suspicions: Suspicion[],
): Promise<Difference[]> {
  let unresolved = suspicions;
  for (const waitMs of [comparison.settleMs, lastLookMs]) {
    if (unresolved.length === 0) return [];
    await dependencies.job.wait(waitMs, 'until what was being counted has been counted');
    const persistent: Suspicion[] = [];
    for (const suspicion of unresolved) {
      const current = await compareSums(dependencies, comparison, suspicion.span);
      const again = new Set(current.map(differenceKey));
      const differences = suspicion.differences.filter((one) => again.has(differenceKey(one)));
      if (differences.length > 0) persistent.push({ ...suspicion, differences });
    }
    unresolved = persistent;
  }
  return unresolved.flatMap(({ differences }) => differences);
}
