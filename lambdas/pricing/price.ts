/** Prices the usage of a response: every part at the prices of its model and of the context that it was served in. */
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import { type PriceSources, rateFinders } from './precedence.ts';
import {
  type PriceContext,
  type PriceSource,
  type PricingGap,
  priceSources,
  type RateLookup,
} from './price-context.ts';
import { type Cost, calculateCost, type Rates } from './rates.ts';
import type { PriceTable } from './table/price-table.ts';
import {
  type BilledPart,
  type BilledParts,
  contextTokens,
  maxParts,
  mergeRounds,
  unitKinds,
} from './usage.ts';

export interface PriceRequest extends PriceSources {
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
  /** The cost of each part, in their order; `null` when the response states the cost, or it is unknown. */
  costs: readonly Cost[] | null;
}

/** When any part has no price, the cost is 0 and `unknown`. Kinds of usage that are missing are not part of the cost. */
export function priceUsage(request: PriceRequest, table: PriceTable): PricedUsage {
  const { reportedCostUsd, gaps } = request;
  const rounds = withoutResponseModel(request);
  if (reportedCostUsd !== null) {
    const reported = { pricing: 'provider', pricing_version: null, pricing_gaps: null } as const;
    return { price: { cost_usd: reportedCostUsd, ...reported }, parts: mergeRounds(rounds), costs: null };
  }
  const priceOf = partPricing(request, table);
  const parts = mergeRounds(rounds, (round) => priceOf(round)?.rates ?? null);
  const priced = parts.map(priceOf).filter((part) => part !== null);
  const pricing_gaps = gaps.length === 0 ? null : gaps;
  if (priced.length < parts.length) {
    const unknown = { cost_usd: '0', pricing: 'unknown', pricing_version: table.version } as const;
    return { price: { ...unknown, pricing_gaps }, parts, costs: null };
  }
  const costs = priced.map(({ cost }) => cost);
  const cost_usd = costs.map(({ usd }) => usd).reduce(addUsd);
  return { price: { cost_usd, ...combinedSource(priced, table), pricing_gaps }, parts, costs };
}

/** The costs of the request's parts, in their order; `null` for a part without a known price. */
export function costsOfParts(request: PriceRequest, table: PriceTable): (Cost | null)[] {
  const priceOf = partPricing(request, table);
  return withoutResponseModel(request).map((part) => priceOf(part)?.cost ?? null);
}

/** The names under which the usage can have custom prices. A response with more models has no known price. */
export function namesToPrice({
  model,
  responseModel,
  parts,
}: Pick<PriceRequest, 'model' | 'responseModel' | 'parts'>): string[] {
  const names = [model, responseModel, ...parts.map((part) => part.model)];
  return [...new Set(names.filter((name) => name !== null))].slice(0, maxParts + 2);
}

/** A part that names the model of the response is billed like one without a name. */
function withoutResponseModel({ parts, responseModel, model }: PriceRequest): BilledParts {
  const [first, ...others] = parts;
  const normalize = (part: BilledPart) =>
    part.model === (responseModel ?? model) ? { ...part, model: null } : part;
  return [normalize(first), ...others.map(normalize)];
}

interface PricedPart {
  rates: Rates;
  cost: Cost;
  pricing: PriceSource;
  version: string;
}

/** Prices a part with the first prices that cover all of its usage, under any of the model's names. */
function partPricing(request: PriceRequest, table: PriceTable): (part: BilledPart) => PricedPart | null {
  const { provider, model, responseModel, context, at } = request;
  const finders = rateFinders(request, table);
  return ({ model: partModel, usage }) => {
    const names = partModel === null ? [responseModel ?? model, model] : [partModel];
    const lookups = [...new Set(names)].map((name) => ({
      provider,
      model: name,
      context,
      at,
      contextTokens: contextTokens(usage),
    }));
    const hasUnits = unitKinds.some((kind) => (usage[kind] ?? 0) > 0);
    const units = hasUnits ? unitsOf(lookups, table) : {};
    for (const findRates of finders) {
      for (const lookup of lookups) {
        const found = findRates(lookup);
        const rates = found && { ...found.rates, units: { ...units, ...found.rates.units } };
        const cost = rates && calculateCost(rates, usage);
        if (found === null || rates === null || cost === null) continue;
        // No provider documents whether the rounds of another model run at the speed of the response.
        const isOtherModel = partModel !== null && context.speed === 'fast' && !found.isForAllTiers;
        const { pricing, version } = hasUnits ? fromTable(table) : found;
        return { rates, cost, pricing: cost.isAssumed || isOtherModel ? 'assumed' : pricing, version };
      }
    }
    return null;
  };
}

/** The prices of units under the first of the names that has any: only the table has some. */
function unitsOf(lookups: readonly RateLookup[], table: PriceTable): Rates['units'] {
  const found = lookups.map((lookup) => table.findRates(lookup)?.units ?? {});
  return found.find((units) => Object.keys(units).length > 0) ?? {};
}

function fromTable({ version }: PriceTable) {
  return { pricing: 'table', version } as const;
}

function combinedSource(
  parts: readonly PricedPart[],
  table: PriceTable,
): Pick<Price, 'pricing' | 'pricing_version'> {
  const pricing = priceSources.findLast((source) => parts.some((part) => part.pricing === source));
  const version = parts.find((part) => part.pricing === pricing)?.version;
  return { pricing: pricing ?? 'unknown', pricing_version: version ?? table.version };
}
