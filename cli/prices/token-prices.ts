/** The schema of token prices in files: `prices/*.json`, and the files of `price import`. */
import { z } from 'zod';
import type { TokenPriceList } from '#lambdas/pricing/list-prices.ts';

const maxUsd = 1_000_000;

/** US dollars. */
export const usd = z
  .number('must be a number of US dollars')
  .min(0, 'must not be negative')
  .max(maxUsd, `must be at most ${maxUsd}`)
  .refine((price) => Number(price.toFixed(12)) === price, 'must have at most twelve decimals');

/** Per million tokens. */
export const tokenPrices = z.strictObject({
  input: usd,
  cache_read: usd.optional(),
  cache_write: usd.optional(),
  cache_write_1h: usd.optional(),
  output: usd,
  output_reasoning: usd.optional(),
  input_audio: usd.optional(),
  cache_audio_read: usd.optional(),
  output_audio: usd.optional(),
  input_image: usd.optional(),
  cache_image_read: usd.optional(),
  output_image: usd.optional(),
} satisfies Record<keyof TokenPriceList, z.ZodType>);

/** The prices of requests with more input tokens, which apply to all tokens of the request. */
export const longContextPrices = z.array(z.tuple([z.number().int().positive(), tokenPrices])).default([]);
