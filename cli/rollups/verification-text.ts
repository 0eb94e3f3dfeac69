/** What a comparison of rollups found, for people and for scripts. */

import type { Difference } from '#lambdas/costs/repair/compare-entries.ts';
import type { Verification } from '#lambdas/costs/repair/verify.ts';
import { periodText } from '#lambdas/costs/rollups/period.ts';
import { noTotals, subtractTotals, totalsJson } from '#lambdas/costs/rollups/totals.ts';
import { textTable } from '../text-table.ts';

const fields = ['requests', 'cost_usd', 'input_tokens', 'output_tokens', 'unpriced_requests'] as const;

export function verificationText(verifications: Verification[], settleSeconds: number): string {
  if (verifications.length === 0) return 'There are no organizations yet, and so no rollups.';
  const table = textTable(
    ['ORGANIZATION', 'FROM', 'TO', 'ENTRIES', 'ROWS', 'LEFT OUT', 'DIFFERENCES'],
    verifications.map(({ organizationId, window, entries, rows, unsettledRows, differences }) => [
      organizationId,
      window === null ? 'no entries' : new Date(window.fromMs).toISOString(),
      window === null ? '-' : new Date(window.toMs).toISOString(),
      ...[entries, rows, unsettledRows, differences.length].map(String),
    ]),
  );
  const isAnyLeftOut = verifications.some(({ unsettledRows }) => unsettledRows > 0);
  const leftOut = `Left out are rows of which an entry was written within ${settleSeconds} seconds before.`;
  const isAnyDifferent = verifications.some(({ differences }) => differences.length > 0);
  return [
    table,
    ...(isAnyLeftOut ? [leftOut] : []),
    ...(isAnyDifferent ? [differenceTable(verifications)] : []),
  ].join('\n\n');
}

export function verificationJson({ window, ...verification }: Verification) {
  return {
    organization_id: verification.organizationId,
    from: window && new Date(window.fromMs).toISOString(),
    to: window && new Date(window.toMs).toISOString(),
    entries: verification.entries,
    rows: verification.rows,
    rows_left_out: verification.unsettledRows,
    differences: verification.differences.map(differenceJson),
  };
}

function differenceTable(verifications: Verification[]): string {
  return textTable(
    ['ORGANIZATION', 'OF', 'SPAN', 'BY', 'VALUE', 'MODEL', 'DIFFERENCE'],
    verifications.flatMap(({ organizationId, differences }) =>
      differences.map((difference) => [organizationId, ...cellsOf(difference)]),
    ),
  );
}

function cellsOf(difference: Difference): string[] {
  const { period, startMs, dimension, value, provider, model } = difference;
  return [
    period,
    periodText(period, startMs),
    dimension,
    value ?? '-',
    `${provider}/${model}`,
    differenceText(difference),
  ];
}

function differenceText({ found, expected, comparedWith }: Difference): string {
  const by = comparedWith === 'entries' ? 'by its entries' : `by its ${comparedWith}s`;
  const difference = subtractTotals(found, expected);
  const different = fields.filter((field) => difference[field] !== noTotals[field]);
  return different.map((field) => `${field} ${found[field]}, ${by} ${expected[field]}`).join('; ');
}

function differenceJson(difference: Difference) {
  const { period, startMs, dimension, writeShard, value, provider, model, comparedWith } = difference;
  return {
    period,
    start: periodText(period, startMs),
    dimension,
    write_shard: writeShard,
    value,
    provider,
    model,
    compared_with: comparedWith === 'entries' ? comparedWith : `${comparedWith}s`,
    rollup: totalsJson(difference.found),
    expected: totalsJson(difference.expected),
  };
}
