import { expect, it } from 'vitest';
import { tokensByKind } from '#lambdas/pricing/price.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { usageFields, usageFromFields } from '#lambdas/request-log/entry-usage.ts';
import { fc } from '#test/support/fast-check.ts';

const count = fc.nat({ max: 1_000_000 });

const usages: fc.Arbitrary<TokenUsage> = fc.record({
  freshInputTokens: count,
  cachedInputTokens: count,
  cacheWriteInputTokens: count,
  cacheWrite1hInputTokens: count,
  outputTokens: count,
  reasoningTokens: count,
  audioInputTokens: count,
  cachedAudioInputTokens: count,
  audioOutputTokens: count,
  imageOutputTokens: count,
  webSearches: count,
});

it('round-trips usage through the fields of an entry', () => {
  fc.assert(
    fc.property(usages, (usage) => {
      const read = usageFromFields(usageFields(usage));

      expect(read).toEqual(usage);
      expect(read && tokensByKind(read)).toEqual(tokensByKind(usage));
    }),
  );
});

it('reads usage without web searches as zero web searches', () => {
  expect(usageFromFields(usageFields(noUsage))).toEqual({ ...noUsage, webSearches: 0 });
});

it('round-trips missing usage as null', () => {
  expect(usageFromFields(usageFields(null))).toBe(null);
});
