import { describe, expect, it } from 'vitest';
import { type PriceRow, readPriceRows, type TokenRow } from '#bin/prices/price-rows.ts';
import { noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import { type PriceRequest, priceUsage } from '#lambdas/pricing/price.ts';
import type { PriceContext } from '#lambdas/pricing/price-context.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { type BilledPart, noUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';

/**
 * An independent implementation of the price rules for the gateway's own rows: it looks up a price by linear search and
 * calculates with fractions of whole numbers.
 */
const rows = readPriceRows();

interface PartCase {
  model: string;
  counts: { fresh: number; cached: number; write5m: number; write1h: number; output: number };
}

interface PriceCase {
  provider: string;
  tier: string | null;
  at: Date;
  geo: string | null;
  region: string | null;
  parts: PartCase[];
}

const standard = (row: TokenRow) => row.when.service_tier === undefined && row.when.speed === undefined;

function tokenRows(provider: string): TokenRow[] {
  return (rows.get(provider) ?? []).filter((row) => row.unit === 'usd_per_million_tokens');
}

/** The models whose price at any time is determined by our own rows alone. */
function ownModels(provider: string): string[] {
  const all = tokenRows(provider).filter(standard);
  const always = all.filter(({ when }) => when.from === undefined && when.between === undefined);
  return [...new Set(always.flatMap(({ models }) => models))];
}

function appliesAt({ when: { from, between, days, except } }: TokenRow, at: Date): boolean {
  const day = at.toISOString().slice(0, 10);
  const minute = at.toISOString().slice(11, 16);
  if (from !== undefined && day < from) return false;
  if (except?.includes(day)) return false;
  if (days === 'weekdays' && [0, 6].includes(at.getUTCDay())) return false;
  return between === undefined || (minute >= between[0] && minute < between[1]);
}

function rowFor({ provider, tier, at }: PriceCase, model: string): TokenRow | undefined {
  const own = tokenRows(provider).filter((row) => row.models.includes(model));
  const inTier = own.filter(
    (row) => tier !== null && [...(row.when.service_tier ?? []), ...(row.when.speed ?? [])].includes(tier),
  );
  const candidates = inTier.length > 0 ? inTier : own.filter(standard);
  return candidates.findLast((row) => appliesAt(row, at)) ?? candidates[0];
}

function factorFor({ provider, tier, geo, region }: PriceCase, model: string, hasTierRow: boolean): bigint {
  let hundredths = 100n;
  for (const row of rows.get(provider) ?? []) {
    if (row.unit !== 'factor' || !matches(row, model)) continue;
    const applies =
      (geo !== null && row.when.inference_geo?.includes(geo)) ||
      (region !== null && row.when.region?.includes(region)) ||
      (tier !== null && !hasTierRow && row.when.service_tier?.includes(tier));
    if (applies) hundredths = (hundredths * BigInt(Math.round(row.prices.tokens * 100))) / 100n;
  }
  return hundredths;
}

function matches({ models }: Pick<PriceRow, 'models'>, model: string): boolean {
  return models.some((known) =>
    typeof known === 'string'
      ? known === model
      : Object.entries(known).some(([kind, text]) => kind === 'starts_with' && model.startsWith(text)),
  );
}

/** In units of 10⁻¹² dollars × 100: every price has at most six decimals, every factor two. */
function expectedUnits(request: PriceCase, { model, counts }: PartCase): bigint | null {
  const row = rowFor(request, model);
  if (row === undefined) return null;
  const input = counts.fresh + counts.cached + counts.write5m + counts.write1h;
  const { prices } = {
    prices: row.prices,
    ...row.above
      .filter(([bound]) => input > bound)
      .map(([, above]) => ({ prices: above }))
      .at(-1),
  };
  const perMillion = (usd: number) => BigInt(Math.round(usd * 1_000_000));
  const write = prices.cache_write ?? prices.input;
  const write1h =
    prices.cache_write_1h ?? (prices.cache_write === undefined ? prices.input : 2 * prices.input);
  const sum =
    BigInt(counts.fresh) * perMillion(prices.input) +
    BigInt(counts.cached) * perMillion(prices.cache_read ?? prices.input) +
    BigInt(counts.write5m) * perMillion(write) +
    BigInt(counts.write1h) * perMillion(write1h) +
    BigInt(counts.output) * perMillion(prices.output);
  return sum * factorFor(request, model, !standard(row));
}

function toUsd(units: bigint): string {
  const digits = units.toString().padStart(13, '0');
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
}

const count = fc.oneof(fc.nat(5000), fc.nat(400_000));

const priceCase: fc.Arbitrary<PriceCase> = fc
  .constantFrom(
    ...[...rows.keys()].filter((provider) => ownModels(provider).length > 0 && provider !== 'bedrock'),
  )
  .chain((provider) =>
    fc.record({
      provider: fc.constant(provider),
      tier: fc.constantFrom(
        null,
        ...new Set(
          tokenRows(provider).flatMap(({ when }) => [...(when.service_tier ?? []), ...(when.speed ?? [])]),
        ),
        'batch',
      ),
      at: fc.date({ min: new Date('2026-09-01'), max: new Date('2027-04-01'), noInvalidDate: true }),
      geo: fc.constantFrom(null, 'us', 'global'),
      region: fc.constantFrom(null, 'us', 'eu', 'ca'),
      parts: fc.array(
        fc.record({
          model: fc.constantFrom(...ownModels(provider)),
          counts: fc.record({ fresh: count, cached: count, write5m: count, write1h: count, output: count }),
        }),
        { minLength: 1, maxLength: 5 },
      ),
    }),
  );

describe('Own prices', () => {
  it('cost the same as an independent calculation from the rows, for random parts, tiers, times and places', () => {
    fc.assert(
      fc.property(priceCase, (request) => {
        const { provider, at, tier, geo, region } = request;
        const speeds = new Set(tokenRows(provider).flatMap(({ when }) => when.speed ?? []));
        const context: PriceContext = {
          serviceTier: tier !== null && !speeds.has(tier) ? tier : null,
          speed: tier !== null && speeds.has(tier) ? tier : null,
          inferenceGeo: geo,
          region,
        };
        const [first, ...others] = request.parts.map(
          ({ model, counts }): BilledPart => ({
            model,
            usage: {
              ...noUsage,
              freshInputTokens: counts.fresh,
              cachedInputTokens: counts.cached,
              cacheWriteInputTokens: counts.write5m,
              cacheWrite1hInputTokens: counts.write1h,
              outputTokens: counts.output,
            },
          }),
        );
        if (first === undefined) throw new Error('No parts');
        const full: PriceRequest = {
          provider,
          model: 'requested',
          responseModel: null,
          context,
          parts: [first, ...others],
          gaps: [],
          reportedCostUsd: null,
          at,
          settings: {},
          findCustomPrices: () => noCustomPrices,
        };
        const units = request.parts.map((part) => expectedUnits(request, part));
        const priced = priceUsage(full, priceTable);
        const again = priceUsage({ ...full, parts: priced.parts }, priceTable);

        // Each part is rounded once: rounds of the same model at the same prices are one part.
        const rounded = roundParts(request, units);
        expect(priced.price.cost_usd).toBe(rounded === null ? '0' : toUsd(rounded));
        expect(again).toEqual(priced);
      }),
    );
  });
});

function roundParts(request: PriceCase, units: (bigint | null)[]): bigint | null {
  const sums = new Map<string, bigint>();
  for (const [index, { model, counts }] of request.parts.entries()) {
    const unit = units[index];
    if (unit == null) return null;
    const row = rowFor(request, model);
    const input = counts.fresh + counts.cached + counts.write5m + counts.write1h;
    const tier = row?.above.filter(([bound]) => input > bound).length;
    const key = `${model} ${tier}`;
    sums.set(key, (sums.get(key) ?? 0n) + unit);
  }
  let total = 0n;
  for (const sum of sums.values()) total += (sum + 50n) / 100n;
  return total;
}
