import { describe, expect, it } from 'vitest';
import { costAt, type TokenKind, tokenKinds, tokensByKind } from '#lambdas/pricing/price.ts';
import { inputTokens, noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';

const kindsOfInput = tokenKinds.filter((kind) => kind.endsWith('Input'));
const kindsOfOutput = tokenKinds.filter((kind) => kind.endsWith('Output'));

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
    freshInputTokens: tokens.textInput + tokens.audioInput,
    cachedInputTokens: tokens.cachedTextInput + tokens.cachedAudioInput,
    cacheWriteInputTokens: tokens.cacheWriteInput,
    cacheWrite1hInputTokens: tokens.cacheWrite1hInput,
    outputTokens: sum(kindsOfOutput.map((kind) => tokens[kind])),
    reasoningTokens: tokens.reasoningOutput,
    audioInputTokens: tokens.audioInput + tokens.cachedAudioInput,
    cachedAudioInputTokens: tokens.cachedAudioInput,
    audioOutputTokens: tokens.audioOutput,
    imageOutputTokens: tokens.imageOutput,
  };
}

describe('tokens of a usage', () => {
  it('are told apart by kind', () => {
    fc.assert(
      fc.property(forEachKind(count), (tokens) => {
        expect(tokensByKind(usageOf(tokens))).toEqual(tokens);
      }),
    );
  });

  it('are neither lost nor doubled nor negative, also where the counts of a provider contradict each other', () => {
    const names = Object.keys(noUsage) as (keyof TokenUsage)[];
    const anyUsage = fc.record(record(names, () => count));
    fc.assert(
      fc.property(anyUsage, (usage) => {
        const tokens = tokensByKind(usage);
        expect(Math.min(...Object.values(tokens))).toBeGreaterThanOrEqual(0);
        expect(sum(kindsOfInput.map((kind) => tokens[kind]))).toBe(inputTokens(usage));
        expect(sum(kindsOfOutput.map((kind) => tokens[kind]))).toBe(usage.outputTokens);
      }),
    );
  });

  it('count audio as cached where it cannot have been fresh', () => {
    const usage = { ...noUsage, freshInputTokens: 10, cachedInputTokens: 90, audioInputTokens: 60 };
    expect(tokensByKind(usage)).toMatchObject({
      textInput: 0,
      audioInput: 10,
      cachedTextInput: 40,
      cachedAudioInput: 50,
    });
  });
});

describe('the cost at given rates', () => {
  it('is the exact sum of each kind times its price', () => {
    fc.assert(
      fc.property(forEachKind(count), forEachKind(millionths), millionths, (tokens, prices, perRequest) => {
        let picodollars = BigInt(perRequest);
        for (const kind of tokenKinds) picodollars += BigInt(tokens[kind]) * BigInt(prices[kind]);
        const usdPerMillion = record(tokenKinds, (kind) => prices[kind] / 1_000_000);
        const rates = { usdPerMillion, usdPerMillionRequests: perRequest / 1_000_000 };
        expect(costAt(rates, usageOf(tokens))).toBe(asUsd(picodollars));
      }),
    );
  });

  it('is unknown as soon as one kind that was used has no price', () => {
    const usdPerMillion = Object.fromEntries(tokenKinds.map((kind) => [kind, 1])) as Record<
      TokenKind,
      number
    >;
    const rates = { usdPerMillion: { ...usdPerMillion, audioOutput: null }, usdPerMillionRequests: 0 };
    expect(costAt(rates, { ...noUsage, outputTokens: 3 })).toBe('0.000003');
    expect(costAt(rates, { ...noUsage, outputTokens: 3, audioOutputTokens: 1 })).toBeNull();
  });

  it('has the searches of the web in it', () => {
    const usdPerMillion = record(tokenKinds, () => 1);
    const rates = { usdPerMillion, usdPerMillionRequests: 0, usdPerMillionWebSearches: 10_000 };
    const usage = { ...noUsage, outputTokens: 3, webSearches: 2 };
    expect(costAt(rates, usage)).toBe('0.020003');
    expect(costAt({ ...rates, usdPerMillionWebSearches: undefined }, usage)).toBe('0.000003');
    expect(costAt({ ...rates, usdPerMillionWebSearches: null }, usage)).toBeNull();
  });
});

function asUsd(picodollars: bigint): string {
  const digits = picodollars.toString().padStart(13, '0');
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
}
