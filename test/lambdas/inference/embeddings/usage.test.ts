import { describe, expect, it } from 'vitest';
import {
  noFacts,
  type ReaderFacts,
  StatedError,
  startReaderFacts,
} from '#lambdas/inference/completion/facts.ts';
import { parseEmbeddingsRequest } from '#lambdas/inference/embeddings/request.ts';
import { completeUsage, estimateInput } from '#lambdas/inference/embeddings/usage.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';

const model = 'openai/text-embedding-3-small';
const requestOf = (input: unknown) => parseEmbeddingsRequest(JSON.stringify({ model, input }));
/** Ten bytes, an estimated three tokens. */
const request = requestOf('Say hello.');

const usageOf = (tokens: number) => ({ ...noUsage, freshInputTokens: tokens });
const complete = (facts: Partial<ReaderFacts>, isReserved = false) =>
  completeUsage({ facts: { ...startReaderFacts(), ...facts }, isReserved }, request);

const truncated = new GatewayError('provider_error', { message: 'The response ended early' });
const stated = new StatedError('provider_error', { message: 'Overloaded' });

describe('The estimated usage of an embeddings request', () => {
  it.each([
    ['a quarter of the bytes of a text, rounded up', 'Say hello.', 3],
    ['the bytes of UTF-8', '🙂🙂🙂', 3],
    ['a token at least for each text', ['a', '', 'Say hello.'], 5],
    ['a token for an empty text', '', 1],
    ['the tokens of a list exactly', [1, 2, 3], 3],
    ['the tokens of all lists exactly', [[1, 2, 3], [4]], 4],
  ])('is %s', (_, input, tokens) => {
    expect(estimateInput(requestOf(input))).toEqual({
      facts: { ...noFacts, usage: usageOf(tokens) },
      isUsageEstimated: true,
    });
  });
});

describe('The usage of an embeddings response', () => {
  it('is that of the provider', () => {
    expect(complete({ ended: true, usage: usageOf(7) })).toEqual({
      facts: { ...noFacts, usage: usageOf(7) },
      isUsageEstimated: false,
    });
  });

  it('may be that of a cache alone', () => {
    const usage = { ...noUsage, cachedInputTokens: 7 };

    expect(complete({ ended: true, usage })).toMatchObject({ facts: { usage }, isUsageEstimated: false });
  });

  it.each([
    ['is missing', null],
    ['is 0', usageOf(0)],
    ['cannot be read', { ...noUsage, missing: ['input_tokens'] as const }],
  ])('is estimated if it %s', (_, usage) => {
    expect(complete({ ended: true, usage })).toEqual({
      facts: { ...noFacts, usage: usageOf(3) },
      isUsageEstimated: true,
    });
  });

  it('stays missing beside a stated cost', () => {
    expect(complete({ ended: true, reportedCostUsd: '0.001' })).toEqual({
      facts: { ...noFacts, reportedCostUsd: '0.001' },
      isUsageEstimated: false,
    });
  });

  it('is nothing but what the provider reports beside an error', () => {
    expect(complete({ error: stated })).toEqual({ facts: noFacts, isUsageEstimated: false });
    expect(complete({ error: stated, usage: usageOf(7) })).toEqual({
      facts: { ...noFacts, usage: usageOf(7) },
      isUsageEstimated: false,
    });
  });

  it.each([
    ['broke off', {}],
    ['is no valid list of vectors', { error: truncated }],
  ])('is estimated if the response %s without any', (_, facts) => {
    expect(complete({ ...facts, reportedCostUsd: '0.001' })).toEqual({
      facts: { ...noFacts, usage: usageOf(3) },
      isUsageEstimated: true,
    });
  });

  it('is not final if the response is no valid list, and then leaves a reservation as it is', () => {
    const facts = { error: truncated, usage: usageOf(7), reportedCostUsd: '0.001' };

    expect(complete(facts)).toEqual({
      facts: { ...noFacts, usage: usageOf(7), reportedCostUsd: '0.001' },
      isUsageEstimated: true,
    });
    expect(complete(facts, true)).toEqual({
      facts: { ...noFacts, usage: usageOf(7) },
      isUsageEstimated: true,
    });
  });
});
