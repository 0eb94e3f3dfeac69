import { addUsd, subtractUsd, type Usd, usdJson } from '#lambdas/platform/money.ts';

/** The totals of a set of requests, or the difference between two such totals, which can be negative. */
export interface Totals {
  requests: number;
  cost_usd: Usd;
  input_tokens: number;
  output_tokens: number;
  /** Requests that have usage but no known price. */
  unpriced_requests: number;
  /** Requests whose price is assumed, and their part of `cost_usd`. */
  assumed_requests: number;
  assumed_cost_usd: Usd;
}

export const countNames = [
  'requests',
  'input_tokens',
  'output_tokens',
  'unpriced_requests',
  'assumed_requests',
] as const satisfies readonly (keyof Totals)[];

export const amountNames = ['cost_usd', 'assumed_cost_usd'] as const satisfies readonly (keyof Totals)[];

export const sumNames = [...countNames, ...amountNames];

export const noTotals: Totals = {
  requests: 0,
  cost_usd: '0',
  input_tokens: 0,
  output_tokens: 0,
  unpriced_requests: 0,
  assumed_requests: 0,
  assumed_cost_usd: '0',
};

export function addTotals(left: Totals, right: Totals): Totals {
  const sum = { ...left };
  for (const name of countNames) sum[name] += right[name];
  for (const name of amountNames) sum[name] = addUsd(left[name], right[name]);
  return sum;
}

export function subtractTotals(left: Totals, right: Totals): Totals {
  const difference = { ...left };
  for (const name of countNames) difference[name] -= right[name];
  for (const name of amountNames) difference[name] = subtractUsd(left[name], right[name]);
  return difference;
}

export function isZero(totals: Totals): boolean {
  return countNames.every((name) => totals[name] === 0) && amountNames.every((name) => totals[name] === '0');
}

export function totalsJson(totals: Totals) {
  return {
    ...totals,
    cost_usd: usdJson(totals.cost_usd),
    assumed_cost_usd: usdJson(totals.assumed_cost_usd),
  };
}
