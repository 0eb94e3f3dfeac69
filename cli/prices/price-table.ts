/** Custom prices as text. */
import type { CustomPrice } from '#lambdas/pricing/custom/custom-price.ts';
import type { PriceScope } from '#lambdas/pricing/custom/store.ts';
import type { TokenPriceList } from '#lambdas/pricing/list-prices.ts';
import { textTable } from '../text-table.ts';

export type PriceRow = PriceScope & CustomPrice;

export function priceTable(rows: readonly PriceRow[]): string {
  return textTable(
    ['MODEL', 'ORGANIZATION', 'TIER', 'FROM', 'USD PER MILLION TOKENS'],
    rows.map((row) => [
      row.model,
      row.organizationId ?? 'all',
      row.tier ?? 'standard',
      row.from,
      pricesText(row),
    ]),
  );
}

function pricesText({ price }: CustomPrice): string {
  if (price === null) return 'no custom price';
  const { prices, above } = price;
  return [
    listText(prices),
    ...above.map(
      ([tokens, longer]) => `above ${tokens.toLocaleString('en-US')} input tokens: ${listText(longer)}`,
    ),
  ].join('; ');
}

/** For example `cache read 0.5, input 2`. */
export function listText(prices: TokenPriceList): string {
  return Object.entries(prices)
    .map(([kind, usd]) => `${kind.replaceAll('_', ' ')} ${usd}`)
    .join(', ');
}
