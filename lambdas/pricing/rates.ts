/** The prices of a model in one price context, and the cost of usage at these prices. */
import { type Charge, sumCharges, type Usd } from '#lambdas/platform/money.ts';
import { type TokenUsage, type UnitKind, unitKinds } from './usage.ts';

/** The kinds of tokens that can have different prices. They do not overlap. */
export const tokenKinds = [
  'textInput',
  'audioInput',
  'imageInput',
  'cachedTextInput',
  'cachedAudioInput',
  'cachedImageInput',
  'cacheWriteInput',
  'cacheWrite1hInput',
  'textOutput',
  'reasoningOutput',
  'audioOutput',
  'imageOutput',
] as const;
export type TokenKind = (typeof tokenKinds)[number];

export interface Rates {
  /** `null` when neither the kind nor a more general kind has a price. */
  usdPerMillion: Readonly<Record<TokenKind, number | null>>;
  usdPerThousandRequests: number;
  /** A kind without a rate has no known price. */
  units: Readonly<Partial<Record<UnitKind, UnitRate>>>;
  /** True when the prices may not be those of the model and its price context. */
  isAssumed: boolean;
  /** The kinds that have the rate of another kind, although the provider does not document that they cost the same. */
  assumedKinds: readonly TokenKind[];
}

export interface UnitRate {
  usd: number;
  per: Charge['per'];
  /** Charged once for a request with any number of units, such as a grounded prompt with several searches. */
  oncePerRequest?: true;
  /** True when the responses do not show whether a unit was free of charge. */
  isAssumed?: true;
}

/** `groundedRequests` are charged once for all web searches of a request. */
export type ChargeKind = TokenKind | UnitKind | 'requests' | 'groundedRequests';

interface UsageCharge extends Charge {
  kind: ChargeKind;
}

export interface Cost {
  /** Everything that was used, and the fee for the request if there is one. No count is 0. */
  charges: readonly UsageCharge[];
  /** The sum of the charges. */
  usd: Usd;
  /** The part of `usd` that is charged by unit, such as for web searches. */
  unitsUsd: Usd;
  isAssumed: boolean;
}

/** Returns `null` when anything that was used has no price, since a partial cost would look like the full cost. */
export function calculateCost(rates: Rates, usage: TokenUsage): Cost | null {
  const tokens = tokenCharges(rates, usage);
  const units = unitCharges(rates, usage);
  if (tokens === null || units === null) return null;
  const hasAssumedTokens = tokens.some(({ kind }) => rates.assumedKinds.some((assumed) => assumed === kind));
  const hasAssumedUnits = unitKinds.some((kind) => (usage[kind] ?? 0) > 0 && rates.units[kind]?.isAssumed);
  const charges = [...tokens, ...units];
  return {
    charges,
    usd: sumCharges(charges),
    unitsUsd: units.length === 0 ? '0' : sumCharges(units),
    isAssumed: rates.isAssumed || hasAssumedTokens || hasAssumedUnits,
  };
}

/** Includes the charge for the request itself. */
function tokenCharges(rates: Rates, usage: TokenUsage): UsageCharge[] | null {
  const tokens = tokensByKind(usage);
  const charges: UsageCharge[] = [];
  if (rates.usdPerThousandRequests > 0) {
    charges.push({ kind: 'requests', count: 1, usd: rates.usdPerThousandRequests, per: 1_000 });
  }
  for (const kind of tokenKinds) {
    if (tokens[kind] === 0) continue;
    const usd = rates.usdPerMillion[kind];
    if (usd === null) return null;
    charges.push({ kind, count: tokens[kind], usd, per: 1_000_000 });
  }
  return charges;
}

function unitCharges(rates: Rates, usage: TokenUsage): UsageCharge[] | null {
  const charges: UsageCharge[] = [];
  for (const kind of unitKinds) {
    const count = usage[kind] ?? 0;
    if (count === 0) continue;
    const rate = rates.units[kind];
    if (rate === undefined) return null;
    const { usd, per } = rate;
    charges.push(
      rate.oncePerRequest ? { kind: 'groundedRequests', count: 1, usd, per } : { kind, count, usd, per },
    );
  }
  return charges;
}

/** Removes binary rounding errors: prices have at most twelve decimals. */
export function multiplyRates(rates: Rates['usdPerMillion'], factor: number): Rates['usdPerMillion'] {
  if (factor === 1) return rates;
  const multiplied = tokenKinds.map((kind) => {
    const usd = rates[kind];
    return [kind, usd === null ? null : Number((usd * factor).toFixed(12))] as const;
  });
  return Object.fromEntries(multiplied) as Record<TokenKind, number | null>;
}

/**
 * Splits usage by kind of token. Audio and images can be part of both fresh and cached input. Even if the provider's
 * counts contradict each other, no count is negative and the counts add up to the total.
 */
export function tokensByKind(usage: TokenUsage): Record<TokenKind, number> {
  const { freshInputTokens: fresh, cachedInputTokens: cached, outputTokens: output } = usage;
  const audio = splitByCache(usage.audioInputTokens, usage.cachedAudioInputTokens, { fresh, cached });
  const image = splitByCache(usage.imageInputTokens, usage.cachedImageInputTokens, {
    fresh: fresh - audio.fresh,
    cached: cached - audio.cached,
  });
  const audioOutput = Math.min(usage.audioOutputTokens, output);
  const imageOutput = Math.min(usage.imageOutputTokens, output - audioOutput);
  const reasoning = Math.min(usage.reasoningTokens, output - audioOutput - imageOutput);
  return {
    textInput: fresh - audio.fresh - image.fresh,
    audioInput: audio.fresh,
    imageInput: image.fresh,
    cachedTextInput: cached - audio.cached - image.cached,
    cachedAudioInput: audio.cached,
    cachedImageInput: image.cached,
    cacheWriteInput: usage.cacheWriteInputTokens,
    cacheWrite1hInput: usage.cacheWrite1hInputTokens,
    textOutput: output - audioOutput - imageOutput - reasoning,
    reasoningOutput: reasoning,
    audioOutput,
    imageOutput,
  };
}

/** Tokens that exceed the fresh input must be cached, even if the provider does not report it. */
function splitByCache(
  reported: number,
  reportedCached: number,
  available: { fresh: number; cached: number },
): { fresh: number; cached: number } {
  const total = Math.min(reported, available.fresh + available.cached);
  const cached = Math.min(available.cached, total, Math.max(reportedCached, total - available.fresh));
  return { fresh: total - cached, cached };
}
