/** Shows the comparison as JSON and as text. */

import { textTable } from '#cli/text-table.ts';
import type { ComparedModel, Comparison, Reconciliation } from '#lambdas/costs/reconcile/compare.ts';
import { gatewayAmountNames } from '#lambdas/costs/reconcile/gateway-costs.ts';
import { type Usd, usdJson } from '#lambdas/platform/money.ts';
import { periodText } from '#lambdas/platform/period.ts';
import type { ReconcileOptions } from './options.ts';

export function reconciliationJson(options: ReconcileOptions, reconciliation: Reconciliation) {
  const { rows, totals, itemsWithoutModel, isWithinTolerance } = reconciliation;
  return {
    provider: options.provider,
    start: periodText('day', options.start),
    end: periodText('day', options.end),
    project: options.project ?? null,
    workspace: options.workspace ?? null,
    tolerance_percent: usdJson(options.tolerance),
    within_tolerance: isWithinTolerance,
    totals: comparisonJson(totals),
    rows: rows.map(comparisonJson),
    items_without_model: itemsWithoutModel.map(({ name, provider_usd }) => ({
      name,
      provider_usd: usdJson(provider_usd),
    })),
  };
}

const amountNames = [...gatewayAmountNames, 'provider_usd', 'difference_usd'] as const;

function comparisonJson<Compared extends Comparison>(compared: Compared) {
  const amounts = amountNames.map((name) => [name, usdJson(compared[name])]);
  const percent = compared.difference_percent;
  return {
    ...compared,
    ...Object.fromEntries(amounts),
    difference_percent: percent === null ? null : usdJson(percent),
  };
}

export function reconciliationText(options: ReconcileOptions, reconciliation: Reconciliation): string {
  const { rows, totals, itemsWithoutModel } = reconciliation;
  const table = textTable(
    [
      ...['DATE', 'MODEL', 'GATEWAY', 'PROVIDER', 'DIFFERENCE', '%', 'DIFFERS'],
      ...['REQUESTS', 'ASSUMED', 'UNPRICED', 'INTERRUPTED', 'GAPS'],
    ],
    [
      ...rows.map((row) => comparisonCells([row.date, row.model ?? '(no model)'], row, differsMark(row))),
      comparisonCells(['total', ''], totals, ''),
    ],
  );
  const items = textTable(
    ['ITEM WITHOUT A MODEL', 'PROVIDER'],
    itemsWithoutModel.map(({ name, provider_usd }) => [name, provider_usd]),
  );
  return [
    table,
    ...(itemsWithoutModel.length === 0 ? [] : [items]),
    // Otherwise, the verdict is the error message.
    ...(reconciliation.isWithinTolerance ? [`${verdict(options, reconciliation)}.`] : []),
  ].join('\n\n');
}

function differsMark({ differs }: ComparedModel): string {
  return differs ? 'yes' : '';
}

function comparisonCells(labels: string[], compared: Comparison, mark: string): string[] {
  return [
    ...labels,
    ...[compared.gateway_usd, compared.provider_usd, compared.difference_usd],
    compared.difference_percent ?? '-',
    mark,
    String(compared.requests),
    countAndCost(compared.assumed_requests, compared.assumed_cost_usd),
    compared.unpriced_requests === 0 ? '-' : String(compared.unpriced_requests),
    countAndCost(compared.interrupted_requests, compared.interrupted_cost_usd),
    countAndCost(compared.gap_requests, compared.gap_cost_usd),
  ];
}

/** A request counts in one row, but its cost can be in several. */
function countAndCost(count: number, cost: Usd): string {
  return count === 0 && cost === '0' ? '-' : `${count} ($${cost})`;
}

/** A sentence without its full stop. */
export function verdict(
  { provider, tolerance }: ReconcileOptions,
  { totals, isWithinTolerance }: Reconciliation,
): string {
  const limit = `${isWithinTolerance ? 'within' : 'more than'} the tolerance of ${tolerance} %`;
  const { gateway_usd, provider_usd } = totals;
  return `The gateway's total of $${gateway_usd} is ${differenceText(totals)} the $${provider_usd} of ${provider}, ${limit}`;
}

function differenceText({ difference_usd, difference_percent }: Comparison): string {
  if (difference_usd === '0') return 'the same as';
  const percent = difference_percent === null ? '' : ` (${withoutSign(difference_percent)} %)`;
  const direction = difference_usd.startsWith('-') ? 'below' : 'above';
  return `$${withoutSign(difference_usd)}${percent} ${direction}`;
}

function withoutSign(number: string): string {
  return number.replace(/^-/, '');
}
