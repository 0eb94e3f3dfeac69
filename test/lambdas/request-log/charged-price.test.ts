import { describe, expect, it } from 'vitest';
import type { Price } from '#lambdas/pricing/price.ts';
import { unknownPrice } from '#lambdas/pricing/price-context.ts';
import { type ChargedRequest, chargedPrice } from '#lambdas/request-log/charged-price.ts';

const price: Price = { cost_usd: '0.5', pricing: 'table', pricing_version: 'v1', pricing_gaps: null };
const assumed: Price = { ...price, pricing: 'assumed' };
const reserved: Price = { ...price, cost_usd: '0.7', pricing: 'assumed', pricing_version: null };
const stated: Price = { ...price, pricing: 'provider', pricing_version: null };

const request: ChargedRequest = {
  outcome: 'completed',
  usage_source: 'provider',
  usage_warnings: null,
  reserved_usd: '0.7',
};
const doubtful: ChargedRequest = { ...request, usage_warnings: ['counts_decreased'] };

describe('chargedPrice', () => {
  it.each<[string, Price, ChargedRequest, Price]>([
    ['keeps the price of reported usage', price, request, price],
    ['assumes the price of reported usage with a warning', price, doubtful, assumed],
    ['keeps a cost that the response states beside a warning', stated, doubtful, stated],
    ['charges the reservation for an unknown price', unknownPrice, doubtful, reserved],
    [
      'keeps an unknown price beside a warning',
      unknownPrice,
      { ...doubtful, reserved_usd: null },
      unknownPrice,
    ],
    [
      'charges the reservation for incomplete usage',
      price,
      { ...doubtful, usage_source: 'incomplete' },
      reserved,
    ],
    [
      'assumes the price of estimated usage with a warning',
      price,
      { ...doubtful, usage_source: 'estimated', reserved_usd: '0.4' },
      assumed,
    ],
    [
      'keeps the price of estimated usage',
      price,
      { ...request, usage_source: 'estimated', reserved_usd: null },
      price,
    ],
  ])('%s', (_, found, charged, expected) => {
    expect(chargedPrice(found, charged)).toEqual(expected);
  });
});
