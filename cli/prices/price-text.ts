/** Custom prices as text. */
import type { CustomPrice } from '#lambdas/pricing/custom/custom-price.ts';
import type { PriceScope } from '#lambdas/pricing/custom/store.ts';
import type { TokenPriceList } from '#lambdas/pricing/list-prices.ts';
import { textTable } from '../text-table.ts';

export type ScopedPrice = PriceScope & CustomPrice;

export function pricesText(rows: readonly ScopedPrice[]): string {
  return textTable(
    ['MODEL', 'ORGANIZATION', 'TIER', 'FROM', 'USD PER MILLION TOKENS'],
    rows.map((row) => [
      row.model,
      row.organizationId ?? 'all',
      row.tier ?? 'standard',
      row.from,
      tokenPricesText(row),
    ]),
  );
}

function tokenPricesText({ price }: CustomPrice): string {
  if (price === null) return 'ended';
  const { prices, above } = price;
  return [
    listText(prices),
    ...above.map(([tokens, longer]) => `${aboveText(tokens)}: ${listText(longer)}`),
  ].join('; ');
}

/** For example `cache read 0.5, input 2`. */
function listText(prices: TokenPriceList): string {
  return Object.entries(prices)
    .map(([kind, usd]) => `${kindText(kind)} ${usd}`)
    .join(', ');
}

export function aboveText(inputTokens: number): string {
  return `above ${inputTokens.toLocaleString('en-US')} input tokens`;
}

export function kindText(kind: string): string {
  return kind.replaceAll('_', ' ');
}
