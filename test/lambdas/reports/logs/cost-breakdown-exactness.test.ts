import { expect, it } from 'vitest';
import { addUsd, type ChargeUnit, subtractUsd, sumCharges, toUnits } from '#lambdas/platform/money.ts';
import { toPriceAttributes } from '#lambdas/pricing/custom/custom-price.ts';
import type { PriceSettings } from '#lambdas/pricing/price-context.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { costBreakdownOf } from '#lambdas/reports/logs/cost-breakdown.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { emptyPriceTable } from '#test/support/prices.ts';

const receivedAtMs = Date.UTC(2026, 10, 1, 12);

const count = fc.integer({ min: 0, max: 300_000 });
const usage = fc
  .record({
    fresh: count,
    cached: count,
    cacheWriteInputTokens: count,
    cacheWrite1hInputTokens: count,
    text: count,
    reasoningTokens: count,
    audioInputTokens: count,
    audioOutputTokens: count,
    webSearches: fc.integer({ min: 0, max: 3 }),
    contextTokens: fc.option(fc.integer({ min: 1, max: 300_000 })),
  })
  .map(
    ({ fresh, cached, text, contextTokens, ...counts }): TokenUsage => ({
      ...noUsage,
      ...counts,
      freshInputTokens: fresh + counts.audioInputTokens,
      cachedInputTokens: cached,
      outputTokens: text + counts.reasoningTokens + counts.audioOutputTokens,
      ...(contextTokens !== null && { contextTokens }),
    }),
  );

/** A price with up to twelve decimals. */
const usd = fc
  .tuple(fc.nat({ max: 99 }), fc.stringMatching(/^\d{0,12}$/))
  .map(([whole, digits]) => Number(`${whole}.${digits}`));
const settings: fc.Arbitrary<PriceSettings> = fc.oneof(
  fc.constant({}),
  fc.record({ priceFactor: fc.double({ min: 0.01, max: 9, noNaN: true }) }),
  fc.record({ prices: fc.record({ input: usd, output: usd, cachedInput: usd }) }),
);
/** The item of the Prices table for all organizations. */
const customPrices = fc.option(
  fc
    .record({ input: usd, output: usd, cache_write: usd, longer: usd, tier: fc.constantFrom(null, 'flex') })
    .map(({ tier, longer, ...prices }) => {
      const above = [[200_000, { ...prices, input: longer }]] as const;
      const price = { from: '2026-01-01T00:00:00.000Z', tier, price: { prices, above } };
      return { prices: toPriceAttributes([price]) };
    }),
);
const served = fc.constantFrom(
  { provider: 'openai', model: 'gpt-4o', responseModel: 'gpt-4o-2024-08-06', other: 'gpt-5.5' },
  {
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    responseModel: 'claude-sonnet-4-5-20250929',
    other: 'claude-opus-4-5',
  },
  {
    provider: 'google',
    model: 'gemini-2.5-flash',
    responseModel: 'gemini-2.5-flash',
    other: 'gemini-2.5-pro',
  },
);

const request = fc.record({
  served,
  firstUsage: usage,
  otherUsages: fc.array(fc.record({ isOther: fc.boolean(), usage }), { maxLength: 4 }),
  serviceTier: fc.constantFrom(null, 'default', 'flex', 'priority'),
  region: fc.constantFrom(null, 'us'),
  settings,
  customPrices,
});
type Request = typeof request extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Returns the log entry as the chat function writes it. */
async function entryOf(drawn: Request): Promise<LogEntry> {
  const { provider, model, responseModel, other } = drawn.served;
  const { serviceTier, region } = drawn;
  const { price, parts } = await createPricing(pricesTable(drawn)).priceUsage('org_1', {
    provider,
    model,
    responseModel,
    context: { serviceTier, speed: null, inferenceGeo: null, region },
    parts: [
      { model: null, usage: drawn.firstUsage },
      ...drawn.otherUsages.map(({ isOther, usage }) => ({ model: isOther ? other : null, usage })),
    ],
    gaps: [],
    reportedCostUsd: null,
    at: new Date(receivedAtMs),
    settings: drawn.settings,
  });
  return logEntry({
    id: createLogId(receivedAtMs),
    organization_id: 'org_1',
    provider,
    model,
    response_model: responseModel,
    service_tier: serviceTier,
    region,
    ...usageFields(parts, responseModel),
    ...price,
  });
}

const pricesTable = ({ customPrices: item }: Request) => ({
  ...emptyPriceTable,
  calls: { get: async () => item },
});

function breakdownOf(entry: LogEntry, drawn: Request) {
  return costBreakdownOf(entry, {
    customPrices: pricesTable(drawn),
    settings: { [drawn.served.provider]: drawn.settings },
  });
}

const total = (amounts: { cost_usd: string }[]) =>
  amounts.map(({ cost_usd }) => cost_usd).reduce(addUsd, '0');

it('the breakdown of any calculated cost adds up to its last digit, and its counts to those of the entry', async () => {
  const priced = fc.asyncProperty(request, async (drawn) => {
    const entry = await entryOf(drawn);
    fc.pre(entry.pricing !== 'unknown');
    const breakdown = await breakdownOf(entry, drawn);

    const parts = breakdown ?? [];
    expect(total(parts)).toBe(entry.cost_usd);
    expect(parts.map(({ charges }) => total(charges))).toEqual(parts.map(({ cost_usd }) => cost_usd));

    const charges = parts.flatMap((part) => part.charges);
    for (const { count, price_usd, per, cost_usd } of charges) {
      const rounded = sumCharges([{ count, usd: Number(price_usd), per: per as ChargeUnit }]);
      expect(count).toBeGreaterThan(0);
      expect([-1n, 0n, 1n]).toContain(toUnits(subtractUsd(cost_usd, rounded)));
    }

    const sum = (types: RegExp) =>
      charges.filter(({ type }) => types.test(type)).reduce((sum, charge) => sum + charge.count, 0);
    expect({
      input: sum(/_input_tokens$/),
      output: sum(/_output_tokens$|^reasoning_tokens$/),
      cached: sum(/^cached_/),
      cacheWrites: sum(/^cache_write_/),
      reasoning: sum(/^reasoning_tokens$/),
    }).toEqual({
      input: entry.input_tokens,
      output: entry.output_tokens,
      cached: entry.cached_input_tokens,
      cacheWrites: entry.cache_write_input_tokens,
      reasoning: entry.reasoning_tokens,
    });
  });

  await fc.assert(priced);
});
