/** The cost of each billed part of a log entry. */
import { addUsd, splitUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import { costsOfParts } from '#lambdas/pricing/price.ts';
import type { Cost } from '#lambdas/pricing/rates.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type KnownPrices, priceRequestOf } from './price-request.ts';

export interface PartCost {
  /** The model that served the part. */
  model: string;
  usage: TokenUsage;
  /** The parts' costs add up to that of the entry. */
  costUsd: Usd;
  /** The part of `costUsd` that is charged by unit, such as for web searches. */
  unitsUsd: Usd;
}

/**
 * Divides the cost of the entry among its parts: exactly if today's prices for its time give the same cost, otherwise in
 * proportion to them. If a part has no price, the first part gets the whole cost.
 */
export function partCostsOf(entry: LogEntry, prices: KnownPrices): PartCost[] {
  const request = priceRequestOf(entry, prices);
  const served = entry.response_model ?? entry.model ?? '';
  if (request === null) {
    return [{ model: served, usage: noUsage, costUsd: entry.cost_usd, unitsUsd: '0' }];
  }
  const costs = costsOfParts(request, prices.table);
  const weights = costs.every((cost) => cost !== null)
    ? costs.flatMap(toWeights)
    : request.parts.flatMap(() => ['0', '0']);
  const shares = splitUsd(entry.cost_usd, weights);
  return request.parts.map(({ model, usage }, index) => {
    const [tokensUsd = '0', unitsUsd = '0'] = shares.slice(2 * index);
    return { model: model ?? served, usage, costUsd: addUsd(tokensUsd, unitsUsd), unitsUsd };
  });
}

function toWeights({ usd, unitsUsd }: Cost): [tokens: Usd, units: Usd] {
  return [subtractUsd(usd, unitsUsd), unitsUsd];
}
