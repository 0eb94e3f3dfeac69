/**
 * Finds the highest prices that a request can have before anything is known of its response, as a bound of its cost.
 *
 * They exclude charges by the piece, such as searches, and the prices of other models, such as a dearer snapshot that the
 * response names.
 */

import { possibleTiers, type RequestedTiers } from './possible-tiers.ts';
import { type FindRates, type PriceSources, rateFinders } from './precedence.ts';
import type { RateLookup } from './price-context.ts';
import type { Rates, TokenKind } from './rates.ts';
import type { PriceTable } from './table/price-table.ts';
import { providerPrices } from './table/provider-prices.ts';
import { providerInTable } from './table/table-names.ts';

/** The options of a request that can change its prices. */
export interface RequestedOptions extends RequestedTiers {
  /** Whether the request contains audio or asks for some. */
  withAudio: boolean;
  /** Whether the request contains images. */
  withImages: boolean;
}

export interface MaxRatesRequest extends PriceSources, RequestedOptions {
  provider: string;
  model: string;
  /** As `findRegion` returns it. */
  region: string | null;
  at: Date;
}

export interface MaxRates {
  usdPerMillionInput: number;
  usdPerMillionOutput: number;
  usdPerThousandRequests: number;
}

/**
 * Covers all kinds of tokens, context lengths and inference geographies, and the tiers that can serve the request. In
 * each tier, the first source with a price takes precedence, as for a response. Returns `null` if the model has no price
 * for its input or its output.
 */
export function findMaxRates(request: MaxRatesRequest, table: PriceTable): MaxRates | null {
  const finders = rateFinders(request, table);
  const rates = lookupsOf(request)
    .map((lookup) => firstRates(finders, lookup))
    .filter((found) => found !== null);
  const usdPerMillionInput = maxRate(rates, inputKinds(request));
  const usdPerMillionOutput = maxRate(rates, outputKinds);
  if (usdPerMillionInput === null || usdPerMillionOutput === null) return null;
  const requestFees = rates.map(({ usdPerThousandRequests }) => usdPerThousandRequests);
  return { usdPerMillionInput, usdPerMillionOutput, usdPerThousandRequests: Math.max(...requestFees) };
}

function firstRates(finders: readonly FindRates[], lookup: RateLookup): Rates | null {
  for (const findRates of finders) {
    const found = findRates(lookup);
    if (found !== null) return found.rates;
  }
  return null;
}

function lookupsOf(request: MaxRatesRequest): RateLookup[] {
  const { provider, model, region, at } = request;
  const customPrices = request.findCustomPrices(model);
  const tiers = possibleTiers(provider, request, customPrices);
  const contexts = [
    { serviceTier: null, speed: null },
    // Price sources do not always distinguish tiers from speeds.
    ...tiers.flatMap((tier) => [
      { serviceTier: tier, speed: null },
      { serviceTier: null, speed: tier },
    ]),
  ].flatMap((tier) => inferenceGeos(provider).map((inferenceGeo) => ({ ...tier, inferenceGeo, region })));
  // Prices of the table rise with the length. Operators can set others.
  const customBounds = [...customPrices.organization, ...customPrices.all].flatMap(
    ({ price }) => price?.above.map(([bound]) => bound) ?? [],
  );
  const lengths = [0, ...customBounds.map((bound) => bound + 1), Number.POSITIVE_INFINITY];
  return contexts.flatMap((context) =>
    lengths.map((contextTokens) => ({ provider, model, context, at, contextTokens })),
  );
}

/** The customer's default can be any of them. */
function inferenceGeos(provider: string): (string | null)[] {
  const { factors = [] } = providerPrices(providerInTable(provider)) ?? {};
  const surcharged = factors.filter(({ when }) => when === 'inference_geo').map(({ is }) => is);
  return [null, ...new Set(surcharged)];
}

function inputKinds({ withAudio, withImages }: RequestedOptions): TokenKind[] {
  return [
    ...(['textInput', 'cachedTextInput', 'cacheWriteInput', 'cacheWrite1hInput'] as const),
    ...(withAudio ? (['audioInput', 'cachedAudioInput'] as const) : []),
    ...(withImages ? (['imageInput', 'cachedImageInput'] as const) : []),
  ];
}

/**
 * Models that generate images or speech do so unasked. OpenAI's audio models refuse requests without any audio:
 * https://github.com/CherryHQ/cherry-studio/issues/1179
 */
const outputKinds: readonly TokenKind[] = ['textOutput', 'reasoningOutput', 'imageOutput', 'audioOutput'];

/** `null` when no kind has a price. */
function maxRate(rates: readonly Rates[], kinds: readonly TokenKind[]): number | null {
  const prices = rates
    .flatMap(({ usdPerMillion }) => kinds.map((kind) => usdPerMillion[kind]))
    .filter((price) => price !== null);
  return prices.length === 0 ? null : Math.max(...prices);
}
