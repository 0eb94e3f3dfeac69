import { describe, expect, it } from 'vitest';
import { addUsage, type BilledPart, noUsage, type TokenUsage, tokenCounts } from '#lambdas/pricing/usage.ts';
import { parseLogEntry, serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { billedPartsOf, usageFields } from '#lambdas/request-log/entry-usage.ts';
import { usageDetailTypes } from '#lambdas/request-log/fields/billed-part.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

const count = fc.oneof(fc.constant(0), fc.nat({ max: 1_000_000 }));

const usages: fc.Arbitrary<TokenUsage> = fc
  .record(
    {
      freshInputTokens: count,
      cachedInputTokens: count,
      cacheWriteInputTokens: count,
      cacheWrite1hInputTokens: count,
      outputTokens: count,
      reasoningTokens: count,
      audioInputTokens: count,
      cachedAudioInputTokens: count,
      imageInputTokens: count,
      cachedImageInputTokens: count,
      audioOutputTokens: count,
      imageOutputTokens: count,
      webSearches: count,
      pageVisits: count,
      audioInputSeconds: count,
      contextTokens: fc.integer({ min: 1, max: 1_000_000 }),
    },
    { requiredKeys: tokenCounts },
  )
  .map((usage) => canonical({ ...noUsage, ...usage }));

/** A count of zero and a missing one are equal, as are the context of all input tokens and a missing one. */
function canonical(usage: TokenUsage): TokenUsage {
  return addUsage(noUsage, usage);
}

const part: fc.Arbitrary<BilledPart> = fc.record({
  model: fc.constantFrom(null, 'advisor', 'fallback'),
  usage: usages,
});

/** The context is that of one round, and has no sum. */
const { context_tokens: _, ...summedTypes } = usageDetailTypes;
const sumFields = Object.keys(summedTypes) as (keyof typeof summedTypes)[];

/** Stores parts in an entry, passes it through a queue message, and reads them. */
function storeAndRead(stored: BilledPart[], responseModel: string | null) {
  const entry = logEntry({
    model: 'requested',
    response_model: responseModel,
    ...usageFields(stored, responseModel ?? 'requested'),
  });
  const received = parseLogEntry(JSON.parse(JSON.stringify(serializeLogEntry(entry))));
  const read = billedPartsOf(received);
  return { entry, read: read?.map(({ model, usage }) => ({ model, usage: canonical(usage) })) ?? null };
}

describe('usageFields and billedPartsOf', () => {
  it('round-trips the usage of a response that is billed as a whole', () => {
    fc.assert(
      fc.property(usages, fc.constantFrom('snapshot', null), (usage, responseModel) => {
        const { entry, read } = storeAndRead([{ model: null, usage }], responseModel);

        expect(read).toEqual([{ model: null, usage }]);
        expect(entry.billed_parts).toBeNull();
      }),
    );
  });

  it('round-trips several parts, and stores the sum of each count', () => {
    const several = fc.array(part, { minLength: 2, maxLength: 16 });
    fc.assert(
      fc.property(several, fc.constantFrom('snapshot', null), (stored, responseModel) => {
        const { entry, read } = storeAndRead(stored, responseModel);

        expect(read).toEqual(stored);
        for (const name of ['input_tokens', 'output_tokens', ...sumFields] as const) {
          const sum = entry.billed_parts?.reduce((total, each) => total + (each[name] ?? 0), 0);
          expect(entry[name] ?? 0).toBe(sum);
        }
        expect(entry.total_tokens).toBe(Number(entry.input_tokens) + Number(entry.output_tokens));
        expect(entry.context_tokens).toBeNull();
      }),
    );
  });

  it('lists the parts with their models, without counts that are 0', () => {
    const { entry } = storeAndRead(
      [
        { model: null, usage: { ...noUsage, freshInputTokens: 300, outputTokens: 20, contextTokens: 200 } },
        { model: 'advisor', usage: { ...noUsage, cachedInputTokens: 5, webSearches: 2 } },
      ],
      'snapshot',
    );

    expect(entry.billed_parts).toEqual([
      { model: 'snapshot', input_tokens: 300, output_tokens: 20, context_tokens: 200 },
      { model: 'advisor', input_tokens: 5, output_tokens: 0, cached_input_tokens: 5, web_searches: 2 },
    ]);
  });

  it('lists a single part only if it is billed at a model other than that of the response', () => {
    const usage = { ...noUsage, outputTokens: 1 };

    expect(storeAndRead([{ model: 'snapshot', usage }], 'snapshot')).toMatchObject({
      entry: { billed_parts: null },
      read: [{ model: null, usage }],
    });
    expect(storeAndRead([{ model: 'fallback', usage }], 'snapshot')).toMatchObject({
      entry: { billed_parts: [{ model: 'fallback', input_tokens: 0, output_tokens: 1 }] },
      read: [{ model: 'fallback', usage }],
    });
  });

  it('names the kinds that are missing of any part', () => {
    const usage = { ...noUsage, outputTokens: 1 };
    const stored: BilledPart[] = [
      { model: null, usage: { ...usage, missing: ['web_searches'] } },
      { model: 'advisor', usage: { ...usage, missing: ['input_tokens', 'web_searches'] } },
    ];

    expect(storeAndRead(stored, null).entry.missing_usage).toEqual(['input_tokens', 'web_searches']);
    expect(storeAndRead([{ model: null, usage }], null).entry.missing_usage).toBeNull();
  });

  it('reads an entry without usage as null', () => {
    const { entry, read } = storeAndRead([], null);

    expect(read).toBeNull();
    expect([entry.input_tokens, entry.total_tokens, entry.cached_input_tokens]).toEqual([null, null, null]);
  });
});
