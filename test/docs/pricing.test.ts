/** Compares the worked examples of `docs/pricing.md` with the prices by which requests are billed. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import { priceUsage } from '#lambdas/pricing/price.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';

const document = readFileSync(path.join(import.meta.dirname, '../../docs/pricing.md'), 'utf8');
const [, section = ''] = /^## Embeddings\n(.*?)^## /ms.exec(document) ?? [];
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
const embeddings = rows.map(([, name = '', price, cost, pricing]) => {
  const [, provider = '', model = ''] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  return { provider, model, price, cost, pricing };
});

function embeddingsPrice(provider: string, model: string, freshInputTokens: number) {
  return priceUsage(
    {
      provider,
      model,
      responseModel: null,
      context: { serviceTier: null, speed: null, inferenceGeo: null, region: null },
      parts: [{ model: null, usage: { ...noUsage, freshInputTokens } }],
      gaps: [],
      reportedCostUsd: null,
      at: new Date('2026-11-29T12:00:00Z'),
      settings: {},
      findCustomPrices: () => noCustomPrices,
    },
    priceTable,
  ).price;
}

it('has examples of all providers whose embeddings have list prices', () => {
  expect(new Set(embeddings.map(({ provider }) => provider))).toEqual(
    new Set(['openai', 'google', 'mistral', 'bedrock', 'cohere']),
  );
  expect(section).toContain('2,048 texts of 250 tokens each cost, 512,000 tokens');
  expect(2_048 * 250).toBe(512_000);
});

it.each(embeddings)('states what $provider/$model costs', ({ provider, model, price, cost, pricing }) => {
  expect(embeddingsPrice(provider, model, 1_000_000).cost_usd).toBe(price);
  expect(embeddingsPrice(provider, model, 512_000)).toMatchObject({ cost_usd: cost, pricing });
});
