/** The price table of one provider, read when it is first asked for: most functions need no other's. */
import { priceData } from './price-data.ts';
import type { ProviderPrices } from './priced-model.ts';

const read = new Map<string, ProviderPrices>();

/** By the table's name of the provider; `null` for one that it does not know. */
export function providerPrices(provider: string): ProviderPrices | null {
  const known = read.get(provider);
  if (known !== undefined) return known;
  const text = Object.hasOwn(priceData, provider) ? priceData[provider] : undefined;
  if (text === undefined) return null;
  const prices: ProviderPrices = JSON.parse(text);
  read.set(provider, prices);
  return prices;
}
