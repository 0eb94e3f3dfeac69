import type { CurrentPrices } from '#lambdas/costs/entry-prices.ts';
import { readCustomPrices, snapshotOf } from '#lambdas/pricing/custom/store.ts';
import type { GatewayConnection } from '../connection/gateway-connection.ts';

/** Reads the prices that apply to log entries of any time. */
export async function readCurrentPrices({
  prices,
  providerSettings: settings,
}: Pick<GatewayConnection, 'prices' | 'providerSettings'>): Promise<CurrentPrices> {
  // Imported on demand: few commands need the price data, which is slow to load.
  const { priceTable: table } = await import('#lambdas/pricing/price-table.ts');
  return { table, settings, customPrices: snapshotOf(await readCustomPrices(prices)) };
}
