import type { KnownPrices } from '#lambdas/costs/price-request.ts';
import { readCustomPrices, snapshotOf } from '#lambdas/pricing/custom/store.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import type { GatewayConnection } from '../connection/gateway-connection.ts';

/** Reads the prices that apply to log entries of any time. */
export async function readKnownPrices({
  prices,
  providerSettings: settings,
}: Pick<GatewayConnection, 'prices' | 'providerSettings'>): Promise<KnownPrices> {
  return { table: priceTable, settings, customPrices: snapshotOf(await readCustomPrices(prices)) };
}
