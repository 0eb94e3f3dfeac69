/** Prices the usage of a response: every part at the prices of its model and of the context that it was served in. */
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import { mergeRounds } from './merge-rounds.ts';
import { type PriceSource, type PricingGap, priceSources } from './price-source.ts';
import { type Cost, calculateCost, multiplyRates, type Rates } from './rates.ts';
import { type BilledPart, type BilledParts, contextTokens, unitKinds } from './usage.ts';

/** Everything besides the model and the time that can change a price. `null` where the response says nothing. */
export interface PriceContext {
  /** The tier that served the request, as the provider names it; it may differ from the requested one. */
  serviceTier: string | null;
  /** Anthropic's speed mode. */
  speed: string | null;
  /** Where the provider ran the inference, as it names it. */
  inferenceGeo: string | null;
  /** Follows from the provider's address or the model's name. */
  region: string | null;
}

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

/** The part of a provider's settings that contains prices. */
export interface PriceSettings {
  /** Replace the token prices of the table for every model of this provider. */
  prices?: TokenPrices;
  /** Multiplies the token prices of the table, for example for a regional endpoint. */
  priceFactor?: number;
}

/** US dollars per million tokens. Cached input and cache writes without their own price cost as much as `input`. */
export interface TokenPrices {
  input: number;
  output: number;
  cachedInput?: number;
  cacheWriteInput?: number;
}

/** By provider name. */
export type PriceSettingsByProvider = Readonly<Record<string, PriceSettings>>;

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

export interface PriceTable {
  version: string;
  findRates(lookup: RateLookup): Rates | null;
  findRegion(endpoint: ModelEndpoint): string | null;
}

export interface ModelEndpoint {
  provider: string;
  model: string;
  host: string;
  /** The region of the endpoint, for a provider in AWS. */
  region: string | null;
}

/** The price table and its use, which the chat function loads while it waits for the provider. */
export interface Pricing extends Pick<PriceTable, 'findRegion'> {
  priceUsage(request: PriceRequest): PricedUsage;
}

export function createPricing(table: PriceTable): Pricing {
  return {
    priceUsage: (request) => priceUsage(request, table),
    findRegion: table.findRegion,
  };
}

export interface RateLookup {
  provider: string;
  model: string;
  context: PriceContext;
  at: Date;
  /** The input tokens that select a long-context price, cached or not. */
  contextTokens: number;
}

/** When any part has no price, the cost is 0 and `unknown`. */
export function priceUsage(request: PriceRequest, table: PriceTable): PricedUsage {
  const { reportedCostUsd, settings, gaps } = request;
  const rounds = withoutResponseModel(request);
  if (reportedCostUsd !== null) {
    const reported = { pricing: 'provider', pricing_version: null, pricing_gaps: null } as const;
    return { price: { cost_usd: reportedCostUsd, ...reported }, parts: mergeRounds(rounds) };
  }
  const parts = mergeRounds(rounds, (round) => pricePart(request, round, table)?.rates ?? null);
  const priced = parts.map((part) => pricePart(request, part, table)).filter((part) => part !== null);
  const isComplete = priced.length === parts.length && !parts.some(({ usage }) => usage.isIncomplete);
  const pricing = isComplete ? combinedSource(priced) : 'unknown';
  const isConfigured = settings.prices !== undefined && pricing !== 'table' && pricing !== 'assumed';
  const price: Price = {
    cost_usd: isComplete ? priced.map(({ cost }) => cost.usd).reduce(addUsd) : '0',
    pricing,
    pricing_version: isConfigured ? 'configuration' : table.version,
    pricing_gaps: gaps.length === 0 ? null : gaps,
  };
  return { price, parts };
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
  source: PriceSource;
}

/** Uses the first name of the part's model with prices for all of its usage. */
function pricePart(
  { provider, model, responseModel, context, at, settings }: PriceRequest,
  { model: partModel, usage }: BilledPart,
  table: PriceTable,
): PricedPart | null {
  const names = partModel === null ? [responseModel ?? model, model] : [partModel];
  for (const name of new Set(names)) {
    const lookup = { provider, model: name, context, at, contextTokens: contextTokens(usage) };
    const rates = withSettings(table.findRates(lookup), settings);
    const cost = rates && calculateCost(rates, usage);
    if (rates === null || cost === null) continue;
    // The configuration has no prices for units.
    const hasUnits = unitKinds.some((kind) => (usage[kind] ?? 0) > 0);
    const source = settings.prices === undefined || hasUnits ? 'table' : 'configuration';
    // No source says whether the rounds of another model run at the speed of the response.
    const isOtherModel = partModel !== null && context.speed === 'fast' && settings.prices === undefined;
    const isAssumed = cost.isAssumed || isOtherModel;
    return { rates, cost, source: isAssumed ? 'assumed' : source };
  }
  return null;
}

function combinedSource(parts: readonly PricedPart[]): PriceSource {
  return priceSources.findLast((source) => parts.some((part) => part.source === source)) ?? 'unknown';
}

function withSettings(rates: Rates | null, { prices, priceFactor = 1 }: PriceSettings): Rates | null {
  if (prices !== undefined) return { units: {}, ...rates, ...configuredRates(prices) };
  return rates && { ...rates, usdPerMillion: multiplyRates(rates.usdPerMillion, priceFactor) };
}

function configuredRates({ input, output, cachedInput = input, cacheWriteInput = input }: TokenPrices) {
  return {
    usdPerMillion: {
      textInput: input,
      audioInput: input,
      imageInput: input,
      cachedTextInput: cachedInput,
      cachedAudioInput: cachedInput,
      cachedImageInput: cachedInput,
      cacheWriteInput,
      cacheWrite1hInput: cacheWriteInput,
      textOutput: output,
      reasoningOutput: output,
      audioOutput: output,
      imageOutput: output,
    },
    usdPerThousandRequests: 0,
    isAssumed: false,
  };
}
