/** Prices as lists state them: for some kinds of tokens, the others following from more general kinds. */
import { type Rates, type TokenKind, tokenKinds } from './rates.ts';

/** The kinds of tokens that price files and custom prices name. */
export const tokenPriceNames = [
  'input',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'output',
  'output_reasoning',
  'input_audio',
  'cache_audio_read',
  'output_audio',
  'input_image',
  'cache_image_read',
  'output_image',
] as const;

export type TokenPriceName = (typeof tokenPriceNames)[number];

/** US dollars per million tokens. */
export type TokenPriceList = { input: number; output: number } & { [Name in TokenPriceName]?: number };

export interface TokenPricesByLength {
  prices: TokenPriceList;
  /** The prices of requests with more input tokens, in ascending order. Kinds that are left out keep their price. */
  above: readonly (readonly [inputTokens: number, prices: TokenPriceList])[];
}

/** US dollars per million tokens of each kind, or per thousand units for keys that end in `_kcount`. */
export type ListPrices = Readonly<Record<string, number | TieredPrice | undefined>>;

/** The last tier whose bound the input exceeds sets the price of the whole request. Tiers are in ascending order. */
type TieredPrice = readonly [base: number, ...tiers: (readonly [above: number, price: number])[]];

export function listPricesOf({ prices, above }: TokenPricesByLength): ListPrices {
  const names = tokenPriceNames.filter((name) => prices[name] !== undefined);
  return Object.fromEntries(
    names.map((name) => {
      const base = prices[name] ?? 0;
      const tiers = above.map(([bound, longer]) => [bound, longer[name] ?? base] as const);
      return [name, tiers.length === 0 ? base : [base, ...tiers]];
    }),
  );
}

export function ratesOf(
  prices: ListPrices,
  contextTokens: number,
): Omit<Rates, 'isAssumed' | 'assumedKinds'> {
  // A model of the table without any price is free, such as OpenRouter's `…:free`.
  const defaultRate = Object.keys(prices).length === 0 ? 0 : null;
  /** Returns the first price found: a kind of token without its own price has the price of a more general kind. */
  const rate = (...keys: string[]) => {
    for (const key of keys) {
      const price = prices[key];
      if (price !== undefined) return priceInTier(price, contextTokens);
    }
    return defaultRate;
  };
  const webSearches = rate('web_searches_kcount');
  return {
    usdPerMillion: {
      textInput: rate('input'),
      audioInput: rate('input_audio', 'input'),
      imageInput: rate('input_image', 'input'),
      cachedTextInput: rate('cache_read', 'input'),
      cachedAudioInput: rate('cache_audio_read', 'input_audio', 'cache_read', 'input'),
      cachedImageInput: rate('cache_image_read', 'input_image', 'cache_read', 'input'),
      cacheWriteInput: rate('cache_write_5m', 'cache_write', 'input'),
      cacheWrite1hInput: rate('cache_write_1h') ?? defaultCacheWrite1hPrice(prices, rate('input')),
      textOutput: rate('output'),
      reasoningOutput: rate('output_reasoning', 'output'),
      audioOutput: rate('output_audio', 'output'),
      imageOutput: rate('output_image', 'output'),
    },
    usdPerThousandRequests: rate('requests_kcount') ?? 0,
    units: webSearches === null ? {} : { webSearches: { usd: webSearches, per: 1_000 } },
  };
}

/** Whether all kinds of tokens cost nothing, also those without a price of their own. */
export function isFree(prices: ListPrices): boolean {
  return Object.values(prices).every((price = 0) =>
    [price].flat().every((tier) => (typeof tier === 'number' ? tier : tier[1]) === 0),
  );
}

/** The name of each kind's own price. */
export const priceNames: Readonly<Record<TokenKind, TokenPriceName>> = {
  textInput: 'input',
  audioInput: 'input_audio',
  imageInput: 'input_image',
  cachedTextInput: 'cache_read',
  cachedAudioInput: 'cache_audio_read',
  cachedImageInput: 'cache_image_read',
  cacheWriteInput: 'cache_write',
  cacheWrite1hInput: 'cache_write_1h',
  textOutput: 'output',
  reasoningOutput: 'output_reasoning',
  audioOutput: 'output_audio',
  imageOutput: 'output_image',
};

/** The price package distinguishes the cache writes of some models by their time. */
function ownNames(kind: TokenKind): readonly string[] {
  return kind === 'cacheWriteInput' ? ['cache_write_5m', priceNames[kind]] : [priceNames[kind]];
}

/** Whether the list states a price of this kind, so that it does not follow from a more general kind. */
export function hasOwnPrice(prices: ListPrices, kind: TokenKind): boolean {
  return ownNames(kind).some((name) => prices[name] !== undefined);
}

/** The kind whose price a documented kind without its own has; `null` for those that always have their own. */
export const followedKinds: Readonly<Record<TokenKind, TokenKind | null>> = {
  textInput: null,
  audioInput: 'textInput',
  imageInput: 'textInput',
  cachedTextInput: 'textInput',
  cachedAudioInput: 'cachedTextInput',
  cachedImageInput: 'cachedTextInput',
  cacheWriteInput: 'textInput',
  cacheWrite1hInput: 'cacheWriteInput',
  textOutput: null,
  reasoningOutput: 'textOutput',
  audioOutput: 'textOutput',
  imageOutput: 'textOutput',
};

/** Kinds without an own price whose price is not documented to follow from that of another kind. */
export function assumedKindsOf(prices: ListPrices, documented: ReadonlySet<string>): TokenKind[] {
  if (isFree(prices)) return [];
  const isKnown = (kind: TokenKind): boolean => {
    const followed = followedKinds[kind];
    if (followed === null || hasOwnPrice(prices, kind)) return true;
    return ownNames(kind).some((name) => documented.has(name)) && isKnown(followed);
  };
  return tokenKinds.filter((kind) => !isKnown(kind));
}

/** The numbers of input tokens above which other prices apply, in ascending order. */
export function contextBounds(prices: ListPrices): number[] {
  const bounds = Object.values(prices).flatMap((price) => {
    if (typeof price !== 'object') return [];
    const [_, ...tiers] = price;
    return tiers.map(([above]) => above);
  });
  return [...new Set(bounds)].sort((one, other) => one - other);
}

function priceInTier(price: number | TieredPrice, contextTokens: number): number {
  if (typeof price === 'number') return price;
  const [base, ...tiers] = price;
  return tiers.findLast(([above]) => contextTokens > above)?.[1] ?? base;
}

/**
 * The price of cache writes for an hour when the table has none, as for most Claude models of other providers.
 * Providers that charge for cache writes charge twice the input price for an hour; for others, cache writes are input.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing, https://aws.amazon.com/bedrock/pricing/
 */
function defaultCacheWrite1hPrice(prices: ListPrices, input: number | null): number | null {
  return prices.cache_write === undefined || input === null ? input : 2 * input;
}
