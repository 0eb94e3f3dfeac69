/**
 * Compares the cost rollups of an organization with its log entries: minutes and hours with the entries themselves, days
 * with their hours and months with their days, in order of time, as far back as entries have not expired.
 */
import { endOfPeriod, startOfPeriod } from '../rollups/period.ts';
import { findRollupState } from '../rollups/state.ts';
import { type Comparison, compareDay, type DayComparison, nothingCompared } from './compare-day.ts';
import { compareSums, type Span } from './compare-sums.ts';
import { findCompleteEntries } from './complete-entries.ts';
import { mostDifferences } from './differences.ts';
import type { RepairParts } from './repair-parts.ts';
import { confirmSuspicions, type Suspicion } from './verify-sums.ts';

export interface VerifyRequest {
  organizationId: string;
  /** Nothing before the day of this instant. */
  fromMs: number;
  settleMs: number;
  /** Told before each day, with what was found up to then. */
  onDay(startMs: number, verification: Verification): void;
}

export interface Verification extends DayComparison {
  organizationId: string;
  /** What was compared; `null` when there are no entries. */
  window: { fromMs: number; toMs: number } | null;
}

/** Entries that expire sooner are left out. */
const marginMs = 3_600_000;

export async function verifyOrganization(parts: RepairParts, request: VerifyRequest): Promise<Verification> {
  const { organizationId, settleMs } = request;
  for (;;) {
    const { generation } = await findRollupState(parts.costRollups, organizationId);
    const logShards = await parts.directory.logShardsOf(organizationId);
    const comparison = { organizationId, generation, logShards, settleMs };
    const verification = await verifyGeneration(parts, request, comparison);
    if (verification.differences.length === 0) return verification;
    const after = await findRollupState(parts.costRollups, organizationId);
    const logShardsAfter = await parts.directory.logShardsOf(organizationId);
    // Else another generation took its place, and this one was being deleted, or there were entries on further shards.
    if (after.generation === generation && logShardsAfter === logShards) return verification;
  }
}

async function verifyGeneration(
  parts: RepairParts,
  request: VerifyRequest,
  comparison: Comparison,
): Promise<Verification> {
  const complete = await findCompleteEntries(parts, { ...comparison, marginMs });
  const verification: Verification = {
    ...nothingCompared(),
    organizationId: comparison.organizationId,
    window: null,
  };
  if (complete === null) return verification;
  const firstDay = startOfPeriod('day', complete.fromMs === 0 ? complete.oldestMs : complete.fromMs);
  const fromMs = Math.max(firstDay, startOfPeriod('day', request.fromMs));
  const toMs = parts.now().getTime();
  verification.window = { fromMs, toMs };
  const suspicions: Suspicion[] = [];
  const suspect = async (span: Span) => {
    const differences = await compareSums(parts, comparison, span);
    if (differences.length > 0) suspicions.push({ span, differences });
  };
  for (let startMs = fromMs; startMs < toMs; startMs = endOfPeriod('day', startMs)) {
    request.onDay(startMs, verification);
    const nextDay = endOfPeriod('day', startMs);
    add(verification, await compareDay(parts, comparison, { startMs, endMs: nextDay }));
    await suspect({ period: 'day', startMs });
    if (nextDay >= toMs || nextDay === endOfPeriod('month', startMs)) {
      await suspect({ period: 'month', startMs: startOfPeriod('month', startMs) });
    }
    const suspected = suspicions.reduce((count, { differences }) => count + differences.length, 0);
    if (verification.differences.length + suspected >= mostDifferences) break;
  }
  verification.differences.push(...(await confirmSuspicions(parts, comparison, suspicions)));
  return verification;
}

function add(to: DayComparison, one: DayComparison): void {
  to.differences.push(...one.differences);
  to.entries += one.entries;
  to.rows += one.rows;
  to.unsettledRows += one.unsettledRows;
}
