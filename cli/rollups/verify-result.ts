/** The result of `rollups verify` as text, JSON and error. */
import type { CounterDifference } from '#lambdas/costs/repair/compare-counters.ts';
import { type Difference, maxDifferences } from '#lambdas/costs/repair/difference.ts';
import type { Verification } from '#lambdas/costs/repair/verify.ts';
import {
  amountNames,
  noTotals,
  subtractTotals,
  sumNames,
  type Totals,
} from '#lambdas/costs/rollups/totals.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import { periodText } from '#lambdas/platform/period.ts';
import { unnamedOperation } from '#lambdas/request-log/operation.ts';
import { AdminError } from '../errors.ts';
import { textTable } from '../text-table.ts';

export interface VerifiedOrganization {
  /** The comparison of its rollups. */
  verification: Verification;
  /** Differences of the counters of its budgets. */
  counterDifferences: readonly CounterDifference[];
}

export function requireNoDifferences(organizations: readonly VerifiedOrganization[]): void {
  const counts = organizations.map(({ verification }) => verification.differences.length);
  const count = counts.reduce((sum, one) => sum + one, 0);
  const rows = counts.some((one) => one >= maxDifferences) ? `At least ${count} rows` : `${count} rows`;
  const counterCount = organizations.flatMap(({ counterDifferences }) => counterDifferences).length;
  const differing = [
    ...(count > 0 ? [`${rows} differ from the expected totals`] : []),
    ...(counterCount > 0 ? [`${counterCount} sums of budgets differ from the rollups`] : []),
  ];
  if (differing.length === 0) return;
  throw new AdminError(`${differing.join(', and ')}: correct them with "rollups rebuild"`);
}

export function verificationText(
  organizations: readonly VerifiedOrganization[],
  settleSeconds: number,
): string {
  if (organizations.length === 0) return 'There are no organizations yet.';
  const verifications = organizations.map(({ verification }) => verification);
  const table = textTable(
    ['ORGANIZATION', 'FROM', 'TO', 'ENTRIES', 'ROWS', 'SKIPPED', 'DIFFERENCES'],
    verifications.map(({ organizationId, window, entries, rows, unsettledRows, differences }) => [
      organizationId,
      window === null ? 'no entries' : new Date(window.fromMs).toISOString(),
      window === null ? '-' : new Date(window.toMs).toISOString(),
      ...[entries, rows, unsettledRows, differences.length].map(String),
    ]),
  );
  const hasSkippedRows = verifications.some(({ unsettledRows }) => unsettledRows > 0);
  const skippedText = `Skipped rows contain an entry that was written less than ${settleSeconds} seconds ago.`;
  const counterDifferences = organizations.flatMap((organization) => organization.counterDifferences);
  const hasDifferences = verifications.some(({ differences }) => differences.length > 0);
  return [
    table,
    ...(hasSkippedRows ? [skippedText] : []),
    ...(hasDifferences ? [differenceTable(verifications)] : []),
    ...(counterDifferences.length > 0 ? [counterDifferenceTable(counterDifferences)] : []),
  ].join('\n\n');
}

export function verificationJson({ verification, counterDifferences }: VerifiedOrganization) {
  const { window } = verification;
  return {
    organization_id: verification.organizationId,
    from: window && new Date(window.fromMs).toISOString(),
    to: window && new Date(window.toMs).toISOString(),
    entries: verification.entries,
    rows: verification.rows,
    rows_left_out: verification.unsettledRows,
    differences: verification.differences.map(differenceJson),
    counter_differences: counterDifferences.map(counterDifferenceJson),
  };
}

function differenceTable(verifications: Verification[]): string {
  return textTable(
    ['ORGANIZATION', 'PERIOD', 'START', 'DIMENSION', 'VALUE', 'MODEL', 'DIFFERENCE'],
    verifications.flatMap(({ organizationId, differences }) =>
      differences.map((difference) => [organizationId, ...differenceCells(difference)]),
    ),
  );
}

function differenceCells(difference: Difference): string[] {
  const { period, startMs, dimension, value, provider, operation, serviceTier, model } = difference;
  const details = [operation === unnamedOperation ? null : operation, serviceTier].filter(
    (name) => name !== null,
  );
  return [
    period,
    periodText(period, startMs),
    dimension,
    value ?? '-',
    `${provider}/${model}${details.length === 0 ? '' : ` (${details.join(', ')})`}`,
    differenceText(difference),
  ];
}

function differenceText({ actual, expected, comparedWith }: Difference): string {
  const source = comparedWith === 'entries' ? 'its entries' : `its ${comparedWith}s`;
  const difference = subtractTotals(actual, expected);
  const sums = sumNames
    .filter((name) => difference[name] !== noTotals[name])
    .map((name) => ({ name, actual: actual[name], expected: expected[name] }));
  const buckets = Object.keys(difference.histograms).map((name) => ({
    name,
    actual: actual.histograms[name] ?? 0,
    expected: expected.histograms[name] ?? 0,
  }));
  return [...sums, ...buckets]
    .map((sum) => `${sum.name} ${sum.actual}, expected ${sum.expected} from ${source}`)
    .join('; ');
}

function differenceJson(difference: Difference) {
  const { period, startMs, dimension, writeShard, value, provider, operation, serviceTier, model } =
    difference;
  const { comparedWith } = difference;
  return {
    period,
    start: periodText(period, startMs),
    dimension,
    write_shard: writeShard,
    value,
    provider,
    operation,
    service_tier: serviceTier,
    model,
    compared_with: comparedWith === 'entries' ? comparedWith : `${comparedWith}s`,
    rollup: rowTotalsJson(difference.actual),
    expected: rowTotalsJson(difference.expected),
  };
}

function rowTotalsJson(totals: Totals) {
  return { ...totals, ...Object.fromEntries(amountNames.map((name) => [name, usdJson(totals[name])])) };
}

function counterDifferenceTable(differences: readonly CounterDifference[]): string {
  return textTable(
    ['ORGANIZATION', 'BUDGETS OF', 'PERIOD', 'START', 'DIFFERENCE'],
    differences.map(({ scope, period, startMs, spentUsd, expectedUsd }) => [
      scope.organizationId,
      scope.keyId ?? 'organization',
      period,
      periodText(period, startMs),
      `spent_usd ${spentUsd}, expected ${expectedUsd} from the rollups`,
    ]),
  );
}

/** `spent_usd` is that of the counter. */
function counterDifferenceJson({ scope, period, startMs, spentUsd, expectedUsd }: CounterDifference) {
  return {
    api_key_id: scope.keyId,
    period,
    start: periodText(period, startMs),
    spent_usd: usdJson(spentUsd),
    expected_usd: usdJson(expectedUsd),
  };
}
