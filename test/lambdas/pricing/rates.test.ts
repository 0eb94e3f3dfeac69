import { describe, expect, it } from 'vitest';
import {
  calculateCost,
  type Rates,
  type TokenKind,
  tokenKinds,
  tokensByKind,
} from '#lambdas/pricing/rates.ts';
import {
  inputTokens,
  noUsage,
  type TokenCount,
  type TokenUsage,
  tokenCounts,
} from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';

const inputKinds = tokenKinds.filter((kind) => kind.endsWith('Input'));
const outputKinds = tokenKinds.filter((kind) => kind.endsWith('Output'));

const count = fc.integer({ min: 0, max: 10 ** 9 });
/** A price per million tokens, in millionths of a dollar. */
const millionths = fc.integer({ min: 0, max: 600_000_000 });

function record<Name extends string, T>(names: readonly Name[], value: (name: Name) => T) {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, T>;
}
const forEachKind = <T>(value: fc.Arbitrary<T>) => fc.record(record(tokenKinds, () => value));

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function usageOf(tokens: Record<TokenKind, number>): TokenUsage {
  return {
    freshInputTokens: tokens.textInput + tokens.audioInput + tokens.imageInput,
    cachedInputTokens: tokens.cachedTextInput + tokens.cachedAudioInput + tokens.cachedImageInput,
    cacheWriteInputTokens: tokens.cacheWriteInput,
    cacheWrite1hInputTokens: tokens.cacheWrite1hInput,
    outputTokens: sum(outputKinds.map((kind) => tokens[kind])),
    reasoningTokens: tokens.reasoningOutput,
    audioInputTokens: tokens.audioInput + tokens.cachedAudioInput,
    cachedAudioInputTokens: tokens.cachedAudioInput,
    imageInputTokens: tokens.imageInput + tokens.cachedImageInput,
    cachedImageInputTokens: tokens.cachedImageInput,
    audioOutputTokens: tokens.audioOutput,
    imageOutputTokens: tokens.imageOutput,
  };
}

describe('tokensByKind', () => {
  it('splits usage by kind of token', () => {
    fc.assert(
      fc.property(forEachKind(count), (tokens) => {
        expect(tokensByKind(usageOf(tokens))).toEqual(tokens);
      }),
    );
  });

  it("counts every token once and none negatively, even if the provider's counts contradict each other", () => {
    const anyUsage = fc.record<Record<TokenCount, number>>(record(tokenCounts, () => count));
    fc.assert(
      fc.property(anyUsage, (usage) => {
        const tokens = tokensByKind(usage);
        expect(Math.min(...Object.values(tokens))).toBeGreaterThanOrEqual(0);
        expect(sum(inputKinds.map((kind) => tokens[kind]))).toBe(inputTokens(usage));
        expect(sum(outputKinds.map((kind) => tokens[kind]))).toBe(usage.outputTokens);
      }),
    );
  });

  it('counts audio that exceeds the fresh input as cached', () => {
    const usage = { ...noUsage, freshInputTokens: 10, cachedInputTokens: 90, audioInputTokens: 60 };
    expect(tokensByKind(usage)).toMatchObject({
      textInput: 0,
      audioInput: 10,
      cachedTextInput: 40,
      cachedAudioInput: 50,
    });
  });
});

const ratesAt = (usdPerMillion: Rates['usdPerMillion'], others: Partial<Rates> = {}): Rates => ({
  usdPerMillion,
  usdPerThousandRequests: 0,
  units: {},
  isAssumed: false,
  assumedKinds: [],
  ...others,
});

describe('calculateCost', () => {
  it('returns the exact sum of tokens times price', () => {
    fc.assert(
      fc.property(forEachKind(count), forEachKind(millionths), millionths, (tokens, prices, perRequest) => {
        let picodollars = BigInt(perRequest) * 1_000n;
        for (const kind of tokenKinds) picodollars += BigInt(tokens[kind]) * BigInt(prices[kind]);
        const usdPerMillion = record(tokenKinds, (kind) => prices[kind] / 1_000_000);
        const rates = ratesAt(usdPerMillion, { usdPerThousandRequests: perRequest / 1_000_000 });
        expect(calculateCost(rates, usageOf(tokens))).toMatchObject({
          usd: asUsd(picodollars),
          unitsUsd: '0',
          isAssumed: false,
        });
      }),
    );
  });

  it('returns null when a kind of token that was used has no price', () => {
    const rates = ratesAt({ ...record(tokenKinds, () => 1), audioOutput: null });
    expect(calculateCost(rates, { ...noUsage, outputTokens: 3 })?.usd).toBe('0.000003');
    expect(calculateCost(rates, { ...noUsage, outputTokens: 3, audioOutputTokens: 1 })).toBeNull();
  });

  it('charges units per thousand, per minute or once per request, and returns null for a unit without a price', () => {
    const rates = ratesAt(
      record(tokenKinds, () => 1),
      { units: { webSearches: { usd: 10, per: 1_000 }, audioInputSeconds: { usd: 0.004, per: 60 } } },
    );
    const usage = { ...noUsage, outputTokens: 3 };
    const once = { webSearches: { usd: 35, per: 1_000, oncePerRequest: true } } as const;

    expect(calculateCost(rates, { ...usage, webSearches: 2 })?.usd).toBe('0.020003');
    expect(calculateCost(rates, { ...usage, audioInputSeconds: 45 })?.usd).toBe('0.003003');
    expect(calculateCost(rates, { ...usage, audioInputSeconds: 10 })?.usd).toBe('0.000669666667');
    expect(calculateCost({ ...rates, units: once }, { ...usage, webSearches: 5 })?.usd).toBe('0.035003');
    expect(calculateCost(rates, { ...usage, pageVisits: 1 })).toBeNull();
  });

  it('lists what was used with its price, and the fee for the request if there is one', () => {
    const rates = ratesAt(
      record(tokenKinds, () => 1),
      { units: { webSearches: { usd: 35, per: 1_000, oncePerRequest: true } } },
    );
    const usage = { ...noUsage, outputTokens: 3, webSearches: 5 };
    const charges = [
      { kind: 'textOutput', count: 3, usd: 1, per: 1_000_000 },
      { kind: 'groundedRequests', count: 1, usd: 35, per: 1_000 },
    ];

    expect(calculateCost(rates, usage)?.charges).toEqual(charges);
    expect(calculateCost({ ...rates, usdPerThousandRequests: 5 }, usage)?.charges).toEqual([
      { kind: 'requests', count: 1, usd: 5, per: 1_000 },
      ...charges,
    ]);
  });

  it('is assumed when a kind of token was used whose rate is', () => {
    const rates = ratesAt(
      record(tokenKinds, () => 1),
      { assumedKinds: ['audioOutput', 'cacheWriteInput'] },
    );
    const isAssumed = (usage: Partial<TokenUsage>) =>
      calculateCost(rates, { ...noUsage, outputTokens: 3, ...usage })?.isAssumed;

    expect([isAssumed({}), isAssumed({ imageOutputTokens: 1 })]).toEqual([false, false]);
    expect([isAssumed({ audioOutputTokens: 1 }), isAssumed({ cacheWriteInputTokens: 1 })]).toEqual([
      true,
      true,
    ]);
  });

  it('is assumed when the rates or the price of a unit that was used are', () => {
    const rates = ratesAt(
      record(tokenKinds, () => 1),
      { units: { webSearches: { usd: 10, per: 1_000, isAssumed: true } } },
    );
    const isAssumed = (searches: number, changes: Partial<Rates> = {}) =>
      calculateCost({ ...rates, ...changes }, { ...noUsage, outputTokens: 1, webSearches: searches })
        ?.isAssumed;

    expect([isAssumed(0), isAssumed(1), isAssumed(0, { isAssumed: true })]).toEqual([false, true, true]);
  });
});

function asUsd(picodollars: bigint): string {
  const digits = picodollars.toString().padStart(13, '0');
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
}
