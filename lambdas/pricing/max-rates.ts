/**
 * Finds the highest prices that a request can have before anything is known of its response, as a bound of its cost.
 *
 * They exclude charges by the piece, such as searches, and the prices of other models, such as a dearer snapshot that the
 * response names.
 */

import type { CustomPrices } from './custom/custom-price.ts';
import { type FindRates, type PriceSources, rateFinders } from './precedence.ts';
import { isStandardName, type RateLookup } from './price-context.ts';
import type { Rates, TokenKind } from './rates.ts';
import { maxRatioOf, textKindOf } from './table/max-ratios.ts';
import type { PriceTable } from './table/price-table.ts';
import { providerInTable } from './table/price-table-names.ts';
import { providerPrices } from './table/provider-prices.ts';

/** The options of a request that can change its prices. */
export interface RequestedOptions extends RequestedTiers {
  /** Whether the request contains audio or asks for some. */
  withAudio: boolean;
  /** Whether the request contains images. */
  withImages: boolean;
  /** Whether the request marks texts for a cache. */
  withCaching: boolean;
  /** False for a request whose result is no output of a model, such as embeddings. */
  withOutput: boolean;
}

/** The options of a request for text that asks for nothing else. */
export const noOptions: RequestedOptions = {
  serviceTier: null,
  optionsText: '',
  withAudio: false,
  withImages: false,
  withCaching: false,
  withOutput: true,
};

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
 * Models that generate images or speech do so unasked. OpenAI's audio models refuse requests without any audio:
 * https://github.com/CherryHQ/cherry-studio/issues/1179
 */
const outputKinds: readonly TokenKind[] = ['textOutput', 'reasoningOutput', 'imageOutput', 'audioOutput'];

/**
 * Covers all kinds of tokens, context lengths and inference geographies, and the tiers that can serve the request. In
 * each tier, the first source with a price takes precedence, as for a response; a kind whose price is assumed has the
 * dearest that is known of the provider. Returns `null` if the model has no price for its input or its output.
 */
export function findMaxRates(request: MaxRatesRequest, table: PriceTable): MaxRates | null {
  const finders = rateFinders(request, table);
  const rates = lookupsOf(request)
    .map((lookup) => firstRates(finders, lookup))
    .filter((found) => found !== null);
  const bounds = rates.map((found) => withMaxRatios(found, request));
  const usdPerMillionInput = maxRate(bounds, inputKinds(request));
  const usdPerMillionOutput = request.withOutput ? maxRate(bounds, outputKinds) : 0;
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
  // Prices of the table rise with the length. Operators can set others, each of which applies up to the next bound.
  const customBounds = [...customPrices.organization, ...customPrices.all].flatMap(
    ({ price }) => price?.above.map(([bound]) => bound) ?? [],
  );
  const lengths = [0, ...customBounds, Number.POSITIVE_INFINITY];
  return contexts.flatMap((context) =>
    lengths.map((contextTokens) => ({ provider, model, context, at, contextTokens })),
  );
}

/** The customer's default can be any of them. */
export function inferenceGeos(provider: string): (string | null)[] {
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

/** Raises the assumed rates that the response can need to that of text times the provider's highest ratio. */
function withMaxRatios(
  { usdPerMillion, assumedKinds }: Rates,
  request: MaxRatesRequest,
): Rates['usdPerMillion'] {
  const raised = { ...usdPerMillion };
  for (const kind of [...inputKinds(request), ...outputKinds]) {
    const { [kind]: rate, [textKindOf(kind)]: text } = usdPerMillion;
    if (rate === null || text === null || !assumedKinds.includes(kind) || !canBeDearer(kind, request))
      continue;
    raised[kind] = Math.max(rate, roundUp(text * (maxRatioOf(request.provider, kind) ?? 1)));
  }
  return raised;
}

/** To six decimals, which most prices have, after binary rounding errors are removed. */
function roundUp(usdPerMillion: number): number {
  return Math.ceil(Number((usdPerMillion * 1_000_000).toFixed(3))) / 1_000_000;
}

const speechModel = /(^|[^a-z])(audio|live|omni|realtime|sonic|speech|tts|voice)([^a-z]|$)/i;
const imageModel = /(^|[^a-z])(banana|images?)([^a-z]|$)/i;

/**
 * Whether the response can have this kind at a higher price than text, although the model has no price for it: a request
 * for text costs many times less than its provider's speech, and must not be reserved like that.
 */
function canBeDearer(kind: TokenKind, { model, optionsText, withCaching }: MaxRatesRequest): boolean {
  switch (kind) {
    case 'audioOutput':
      return optionsText.includes('audio') || speechModel.test(model);
    case 'imageOutput':
      return optionsText.includes('image') || imageModel.test(model);
    case 'cacheWriteInput':
    case 'cacheWrite1hInput':
      return withCaching;
    default:
      // A cache lowers the price.
      return kind !== 'cachedTextInput';
  }
}

/** `null` when no kind has a price. */
function maxRate(rates: readonly Rates['usdPerMillion'][], kinds: readonly TokenKind[]): number | null {
  const prices = rates
    .flatMap((usdPerMillion) => kinds.map((kind) => usdPerMillion[kind]))
    .filter((price) => price !== null);
  return prices.length === 0 ? null : Math.max(...prices);
}

/** The service tiers and speeds that can serve a request, before its response names one. */
interface RequestedTiers {
  /** The `service_tier` that is sent to the provider, `null` if none is. */
  serviceTier: string | null;
  /** Tiers that the provider may read instead, since the field occurs several times. */
  otherServiceTiers?: readonly (string | null)[];
  /**
   * The request's options as JSON in lower case. Providers have different fields for tiers and speeds, but a name that
   * does not occur in the options is not requested.
   */
  optionsText: string;
}

/**
 * Tiers that a provider may choose for requests without `service_tier`, or with `auto`, since its customer can make them
 * the default of a project: https://developers.openai.com/api/docs/guides/fast-mode.
 *
 * Other tiers serve only requests that name them: https://developers.openai.com/api/docs/guides/ultrafast-mode,
 * https://ai.google.dev/gemini-api/docs/priority-inference,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/service-tiers-inference.html,
 * https://docs.fireworks.ai/serverless/serverless-modes,
 * https://platform.claude.com/docs/en/build-with-claude/fast-mode. Prepaid capacity (Anthropic's `priority`, OpenAI's
 * `scale`) has no price per token.
 */
const defaultTiers: Readonly<Record<string, readonly string[]>> = { openai: ['priority'] };

/**
 * Does not list the standard tier, which can always serve a request: providers fall back to it. An operator who sets
 * prices of a tier expects it to serve requests that do not choose one.
 */
export function possibleTiers(
  provider: string,
  { serviceTier, otherServiceTiers = [], optionsText }: RequestedTiers,
  { organization, all }: CustomPrices,
): string[] {
  const customTiers = [...organization, ...all].map(({ tier }) => tier).filter((tier) => tier !== null);
  const requested = [...knownTiers(provider), ...customTiers].filter((tier) =>
    optionsText.includes(tier.toLowerCase()),
  );
  const selected = [serviceTier, ...otherServiceTiers].flatMap((tier) => {
    const isChosen = tier !== null && tier.toLowerCase() !== 'auto';
    return isChosen ? [tier] : [...defaultTiersOf(provider), ...customTiers];
  });
  return [...new Set([...requested, ...selected])].filter((tier) => !isStandardName(tier));
}

/** The names of the tiers and speeds with own prices for some model of the provider. */
export function knownTiers(provider: string): string[] {
  const { tiers = [], factors = [] } = providerPrices(providerInTable(provider)) ?? {};
  return [
    ...tiers.flatMap(({ names }) => names),
    ...factors.filter(({ when }) => when === 'service_tier' || when === 'speed').map(({ is }) => is),
  ];
}

function defaultTiersOf(provider: string): readonly string[] {
  return (Object.hasOwn(defaultTiers, provider) && defaultTiers[provider]) || [];
}
