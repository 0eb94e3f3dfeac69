/** Names of service tiers and speeds, which have their own prices. */
import { isStandardName, type PriceContext } from './price-context.ts';
import { providerInTable } from './table/price-table-names.ts';
import { providerPrices } from './table/provider-prices.ts';

/**
 * The service tier or speed that selects the price, `null` for the standard one. `undefined` when the response has both
 * a tier and a speed, for which no single name stands.
 */
export function tierOf({ serviceTier, speed }: PriceContext): string | null | undefined {
  const names = [serviceTier, speed].filter((name) => name !== null && !isStandardName(name));
  return names.length > 1 ? undefined : (names[0] ?? null);
}

/** Providers use several names for a tier, such as OpenAI's `priority` and `fast`. Ignores their case. */
export function isSameTier(provider: string, left: string | null, right: string | null): boolean {
  if (left === null || right === null) return left === right;
  const pair = [left.toLowerCase(), right.toLowerCase()];
  if (pair[0] === pair[1]) return true;
  const { tiers = [] } = providerPrices(providerInTable(provider)) ?? {};
  return tiers.some(({ names }) => pair.every((name) => names.some((other) => other.toLowerCase() === name)));
}
