/** Reads the gateway's own prices: one file for each provider in the folder `prices`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { longContextPrices, tokenPrices, usd } from '#cli/prices/token-prices.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { tokenPriceNames } from '#lambdas/pricing/list-prices.ts';

const priceRowsDirectory = join(import.meta.dirname, '../../prices');

/** A full name, which also matches with a date or a version after it, or a pattern. */
const matcher = z.union([
  z.string().min(1),
  z.strictObject({ starts_with: z.string() }),
  z.strictObject({ ends_with: z.string() }),
  z.strictObject({ contains: z.string() }),
]);

const day = z.iso.date();
const time = z.string().regex(/^\d{2}:\d{2}$/);
const names = z.array(z.string().min(1)).min(1);

const source = {
  source: z.url({ protocol: /^https$/, error: 'must be the https URL of the page that states the price' }),
  /** The day on which the source stated the price. */
  date: day,
};

const origin = {
  /** The reason why the price is not certain. */
  assumed: z.string().min(10).optional(),
  ...source,
};

/** The prices of complete model names, in the standard tier or in the given ones. */
const tokenRow = z
  .strictObject({
    unit: z.literal('usd_per_million_tokens'),
    models: names,
    when: z
      .strictObject({
        service_tier: names.optional(),
        speed: names.optional(),
        /** The first day (UTC). */
        from: day.optional(),
        /** UTC hours; an end before the start is on the next day. */
        between: z.tuple([time, time]).optional(),
        days: z.literal('weekdays').optional(),
        /** Days (UTC) without these prices, such as public holidays. */
        except: z.array(day).optional(),
      })
      .default({}),
    prices: tokenPrices,
    above: longContextPrices,
    ...origin,
  })
  .refine(({ when }) => when.service_tier === undefined || when.speed === undefined, {
    path: ['when'],
    message: 'must have either service_tier or speed',
  });

const unitRow = z.strictObject({
  unit: z.enum(['usd_per_thousand', 'usd_per_minute']),
  models: z.array(matcher).min(1),
  prices: z.strictObject({
    web_searches: usd.optional(),
    /** Once for a request with web searches. */
    grounded_requests: usd.optional(),
    page_visits: usd.optional(),
    file_searches: usd.optional(),
    audio_minutes: usd.optional(),
  }),
  ...origin,
});

/** A surcharge or discount on the prices of all tokens. */
const factorRow = z
  .strictObject({
    unit: z.literal('factor'),
    models: z.array(matcher).min(1),
    when: z.strictObject({
      service_tier: names.optional(),
      speed: names.optional(),
      inference_geo: names.optional(),
      region: names.optional(),
    }),
    /** The host names of the region's endpoint. */
    hosts: z.array(z.hostname()).default([]),
    prices: z.strictObject({ tokens: z.number().positive() }),
    ...origin,
  })
  .refine(({ when }) => Object.keys(when).length === 1, {
    path: ['when'],
    message: 'must have exactly one condition',
  })
  .refine(({ when, hosts }) => hosts.length === 0 || when.region?.length === 1, {
    path: ['hosts'],
    message: 'require a condition with one region',
  });

/** The kinds of tokens without an own price that cost what a more general kind does, as the source says. */
const derivedRow = z.strictObject({
  unit: z.literal('derived'),
  models: z.array(matcher).min(1),
  prices: z.array(z.enum(tokenPriceNames)).min(1),
  ...source,
});

/** Models that cost nothing in every price context. */
const freeRow = z.strictObject({ unit: z.literal('free'), models: z.array(matcher).min(1), ...source });

const rows = z.array(z.discriminatedUnion('unit', [tokenRow, unitRow, factorRow, derivedRow, freeRow]));

export type TokenRow = z.output<typeof tokenRow>;
export type UnitRow = z.output<typeof unitRow>;
export type FactorRow = z.output<typeof factorRow>;
export type DerivedRow = z.output<typeof derivedRow>;
type FreeRow = z.output<typeof freeRow>;
export type PriceRow = TokenRow | UnitRow | FactorRow | DerivedRow | FreeRow;

/** By the gateway's name of the provider. Throws an `Error` that names the file, the row and the field. */
export function readPriceRows(directory = priceRowsDirectory): Map<string, PriceRow[]> {
  const files = readdirSync(directory).filter((file) => file.endsWith('.json'));
  return new Map(
    files.sort().map((file) => {
      const text = readFileSync(join(directory, file), 'utf8');
      return [file.replace(/\.json$/, ''), parsePriceRows(file, parseJson(text))];
    }),
  );
}

export function parsePriceRows(file: string, value: unknown): PriceRow[] {
  const parsed = rows.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path: [row, ...field], message }) =>
    row === undefined
      ? `${file}: ${message}`
      : `${file}, row ${Number(row) + 1}: ${field.join('.')} ${message}`,
  );
  throw new Error(problems.join('\n'));
}
