/** Shows the comparison as JSON and as text. */

import { countAndCostText, countText, textTable } from '#cli/text-table.ts';
import type { ComparedModel, Comparison, Reconciliation } from '#lambdas/costs/reconcile/compare.ts';
import { gatewayAmountNames } from '#lambdas/costs/reconcile/gateway-costs.ts';
import { addUsd, usdJson } from '#lambdas/platform/money.ts';
import { periodText } from '#lambdas/platform/period.ts';
import { uncertainShare } from '#lambdas/request-log/uncertainty.ts';
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
    uncertain_cost_share: uncertainShareOf(compared),
    difference_percent: percent === null ? null : usdJson(percent),
  };
}

export function reconciliationText(options: ReconcileOptions, reconciliation: Reconciliation): string {
  const { rows, totals, itemsWithoutModel } = reconciliation;
  const table = textTable(
    [
      'DATE',
      'MODEL',
      'GATEWAY',
      'PROVIDER',
      'DIFFERENCE',
      '%',
      'DIFFERS',
      'REQUESTS',
      'UNPRICED',
      'ASSUMED',
      'ESTIMATED',
      'INTERRUPTED',
      'GAPS',
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
    ...uncertaintyTexts(totals),
    ...(itemsWithoutModel.length === 0 ? [] : [items]),
    // Otherwise, the verdict is the error message.
    ...(reconciliation.isWithinTolerance ? [`${verdict(options, reconciliation)}.`] : []),
  ].join('\n\n');
}

function uncertainShareOf(compared: Comparison): number | null {
  return uncertainShare({ ...compared, cost_usd: compared.gateway_usd });
}

/** Empty if all costs are certain. */
function uncertaintyTexts(totals: Comparison): string[] {
  const { unpriced_requests: unpriced, assumed_cost_usd, estimated_cost_usd } = totals;
  const uncertainUsd = addUsd(assumed_cost_usd, estimated_cost_usd);
  const share = uncertainShareOf(totals);
  const percent = share === null ? '' : ` (${Math.round(share * 10_000) / 100} %)`;
  const sentences = [
    ...(uncertainUsd === '0'
      ? []
      : [`$${uncertainUsd}${percent} of the gateway's total is assumed or estimated.`]),
    ...(unpriced === 0 ? [] : [`Requests without a known price, which count as $0: ${unpriced}.`]),
  ];
  return sentences.length === 0 ? [] : [sentences.join(' ')];
}

function differsMark({ differs }: ComparedModel): string {
  return differs ? 'yes' : '';
}

function comparisonCells(labels: string[], compared: Comparison, mark: string): string[] {
  return [
    ...labels,
    compared.gateway_usd,
    compared.provider_usd,
    compared.difference_usd,
    compared.difference_percent ?? '-',
    mark,
    String(compared.requests),
    countText(compared.unpriced_requests),
    countAndCostText(compared.assumed_requests, compared.assumed_cost_usd),
    countAndCostText(compared.estimated_requests, compared.estimated_cost_usd),
    countAndCostText(compared.interrupted_requests, compared.interrupted_cost_usd),
    countAndCostText(compared.gap_requests, compared.gap_cost_usd),
  ];
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
