/** Prices the usage of a response: every part at the prices of its model and of the context that it was served in. */
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import { noCustomPrices } from './custom/custom-price.ts';
import { mergeRounds } from './merge-rounds.ts';
import { type FindCustomPrices, type RateSource, rateSources } from './precedence.ts';
import type { PriceContext } from './price-context.ts';
import type { PriceSettings } from './price-settings.ts';
import { type PriceSource, type PricingGap, priceSources } from './price-source.ts';
import type { PriceTable } from './price-table.ts';
import { type Cost, calculateCost, type Rates } from './rates.ts';
import { type BilledPart, type BilledParts, contextTokens, unitKinds } from './usage.ts';

export interface PriceRequest {
  provider: string;
  model: string;
  /** The model that the provider reports. It is looked up first, since a dated snapshot can have its own price. */
  responseModel: string | null;
  context: PriceContext;
  /** One part for each model and round that is billed separately. */
  parts: BilledParts;
  gaps: readonly PricingGap[];
  /** Takes precedence over all prices, and includes every charge. */
  reportedCostUsd: Usd | null;
  at: Date;
  settings: PriceSettings;
}

export interface Price {
  cost_usd: Usd;
  /** The least certain source of all parts. */
  pricing: PriceSource;
  pricing_version: string | null;
  /** The charges that `cost_usd` does not include; `null` when there are none. */
  pricing_gaps: readonly PricingGap[] | null;
}

export interface PricedUsage {
  price: Price;
  /** Rounds of the same model at the same prices are one part. */
  parts: BilledParts;
}

/** When any part has no price, the cost is 0 and `unknown`. */
export function priceUsage(
  request: PriceRequest,
  table: PriceTable,
  findCustomPrices: FindCustomPrices = () => noCustomPrices,
): PricedUsage {
  const { reportedCostUsd, settings, gaps } = request;
  const rounds = withoutResponseModel(request);
  if (reportedCostUsd !== null) {
    const reported = { pricing: 'provider', pricing_version: null, pricing_gaps: null } as const;
    return { price: { cost_usd: reportedCostUsd, ...reported }, parts: mergeRounds(rounds) };
  }
  const sources = rateSources(table, settings, findCustomPrices);
  const priceOf = (part: BilledPart) => pricePart(request, part, sources, table);
  const parts = mergeRounds(rounds, (round) => priceOf(round)?.rates ?? null);
  const priced = parts.map(priceOf).filter((part) => part !== null);
  const isComplete = priced.length === parts.length && !parts.some(({ usage }) => usage.isIncomplete);
  const pricing_gaps = gaps.length === 0 ? null : gaps;
  const price: Price = isComplete
    ? {
        cost_usd: priced.map(({ cost }) => cost.usd).reduce(addUsd),
        ...combinedSource(priced, table),
        pricing_gaps,
      }
    : { cost_usd: '0', pricing: 'unknown', pricing_version: table.version, pricing_gaps };
  return { price, parts };
}

/** The costs of the request's parts, in their order; `null` for a part without a known price. */
export function costsOfParts(
  request: PriceRequest,
  table: PriceTable,
  findCustomPrices: FindCustomPrices,
): (Cost | null)[] {
  const sources = rateSources(table, request.settings, findCustomPrices);
  const parts = withoutResponseModel(request);
  return parts.map((part) => pricePart(request, part, sources, table)?.cost ?? null);
}

/** A part that names the model of the response is billed like one without a name. */
function withoutResponseModel({ parts, responseModel, model }: PriceRequest): BilledParts {
  const [first, ...others] = parts;
  const normalize = (part: BilledPart) =>
    part.model === (responseModel ?? model) ? { ...part, model: null } : part;
  return [normalize(first), ...others.map(normalize)];
}

/** The names under which a request's usage can have prices. */
export function namesToPrice({ model, responseModel, parts }: PriceRequest): string[] {
  const names = [model, responseModel, ...parts.map((part) => part.model)];
  return [...new Set(names.filter((name) => name !== null))];
}

interface PricedPart {
  rates: Rates;
  cost: Cost;
  pricing: PriceSource;
  version: string;
}

/** Uses the first source with prices for all usage of the part, under any of the model's names. */
function pricePart(
  { provider, model, responseModel, context, at }: PriceRequest,
  { model: partModel, usage }: BilledPart,
  sources: readonly RateSource[],
  table: PriceTable,
): PricedPart | null {
  const hasUnits = unitKinds.some((kind) => (usage[kind] ?? 0) > 0);
  const names = new Set(partModel === null ? [responseModel ?? model, model] : [partModel]);
  for (const findRates of sources) {
    for (const name of names) {
      const lookup = { provider, model: name, context, at, contextTokens: contextTokens(usage) };
      const found = findRates(lookup);
      const cost = found && calculateCost(found.rates, usage);
      if (found === null || cost === null) continue;
      // No source says whether the rounds of another model run at the speed of the response.
      const isOtherModel = partModel !== null && context.speed === 'fast' && !found.isForAllTiers;
      const isAssumed = cost.isAssumed || isOtherModel;
      // Only the table has prices for units.
      const { pricing, version } = hasUnits ? ({ pricing: 'table', version: table.version } as const) : found;
      return { rates: found.rates, cost, pricing: isAssumed ? 'assumed' : pricing, version };
    }
  }
  return null;
}

function combinedSource(
  parts: readonly PricedPart[],
  table: PriceTable,
): Pick<Price, 'pricing' | 'pricing_version'> {
  const pricing = priceSources.findLast((source) => parts.some((part) => part.pricing === source));
  const version = parts.find((part) => part.pricing === pricing)?.version;
  return { pricing: pricing ?? 'unknown', pricing_version: version ?? table.version };
}
