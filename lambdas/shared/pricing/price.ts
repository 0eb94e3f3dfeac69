/** What a request costs: its usage, priced once. */
import type { LogEntry } from '../domain/log-entry.ts';
import type { TokenPrices } from '../domain/provider-settings.ts';
import { inputTokens, type TokenUsage } from '../domain/usage.ts';
import type { Usd } from '../domain/usd.ts';
import { costAt, type TokenRates } from './token-rates.ts';

export interface PriceRequest {
  provider: string;
  /** The model that was asked for. */
  model: string;
  /** What the provider says it served: looked up first, since a dated snapshot can have a price of its own. */
  responseModel: string | null;
  usage: TokenUsage;
  /** What the provider itself says that the request cost; wins over every price list. */
  statedCostUsd: Usd | null;
  /** Prices change; those of this moment hold. */
  at: Date;
  /** The operator's own prices for this provider, instead of the table's. */
  configuredPrices: TokenPrices | null;
}

export type Price = Pick<LogEntry, 'cost_usd' | 'pricing' | 'pricing_version'>;

export interface PriceTable {
  version: string;
  /** `null` for a model that the table does not know. */
  ratesOf(lookup: RateLookup): TokenRates | null;
}

export interface RateLookup {
  provider: string;
  model: string;
  at: Date;
  /** All input, from a cache or not: a long prompt can cost more for each of its tokens. */
  inputTokens: number;
}

export function priceUsage(request: PriceRequest, table: PriceTable): Price {
  const { statedCostUsd, configuredPrices, usage } = request;
  if (statedCostUsd !== null) {
    return { cost_usd: statedCostUsd, pricing: 'provider', pricing_version: null };
  }
  return configuredPrices === null
    ? listPrice(costFromTable(request, table), table.version)
    : listPrice(costAt(configuredRates(configuredPrices), usage), 'configuration');
}

function listPrice(cost: Usd | null, version: string): Price {
  return { cost_usd: cost ?? '0', pricing: cost === null ? 'unknown' : 'table', pricing_version: version };
}

function costFromTable(
  { provider, model, responseModel, usage, at }: PriceRequest,
  table: PriceTable,
): Usd | null {
  for (const name of new Set([responseModel ?? model, model])) {
    const rates = table.ratesOf({ provider, model: name, at, inputTokens: inputTokens(usage) });
    const cost = rates && costAt(rates, usage);
    if (cost !== null) return cost;
  }
  return null;
}

function configuredRates({ input, output, cachedInput, cacheWriteInput }: TokenPrices): TokenRates {
  return {
    usdPerMillion: {
      textInput: input,
      audioInput: input,
      cachedTextInput: cachedInput ?? input,
      cachedAudioInput: cachedInput ?? input,
      cacheWriteInput: cacheWriteInput ?? input,
      cacheWrite1hInput: cacheWriteInput ?? input,
      textOutput: output,
      reasoningOutput: output,
      audioOutput: output,
      imageOutput: output,
    },
    usdPerMillionRequests: 0,
  };
}
