import type { AuditEvent, AuditValue, AuditValues } from '#lambdas/audit/record.ts';
import { usdFromNumber } from '#lambdas/platform/money.ts';
import type { TokenPriceList } from '../list-prices.ts';
import type { CustomPrice } from './custom-price.ts';
import type { PriceScope } from './store.ts';

export interface PriceEvent extends PriceScope {
  action: 'price.set' | 'price.removed';
  /** The prices that were replaced, ended or removed. */
  before: readonly CustomPrice[];
  /** The new prices and ends of prices. */
  after: readonly CustomPrice[];
}

export function priceEvent({ action, model, organizationId, before, after }: PriceEvent): AuditEvent {
  return {
    action,
    organizationId,
    target: { type: 'price', id: model, name: null },
    before: valuesOf(before),
    after: valuesOf(after),
  };
}

function valuesOf(prices: readonly CustomPrice[]): AuditValues | null {
  return prices.length === 0 ? null : { prices: prices.map(priceValue) };
}

function priceValue({ from, tier, price }: CustomPrice): AuditValue {
  const above = price?.above ?? [];
  return {
    from,
    tier,
    prices: price && pricesValue(price.prices),
    ...(above.length > 0 && { above: above.map(([tokens, longer]) => [tokens, pricesValue(longer)]) }),
  };
}

/** As text, like all amounts: DynamoDB's numbers are read as text if they have decimals. */
function pricesValue(prices: TokenPriceList): AuditValues {
  return Object.fromEntries(Object.entries(prices).map(([kind, usd]) => [kind, usdFromNumber(usd)]));
}
