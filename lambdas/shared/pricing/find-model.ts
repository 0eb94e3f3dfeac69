/** Which model of the price table a name means: the one that the table's own library would find. */
import { isAnyOf, type NameMatch, type PricedModel, type ProviderPrices } from './priced-model.ts';
import { providerPrices } from './provider-prices.ts';

/** By the table's name of the provider. */
export function findModel(provider: string, name: string): PricedModel | null {
  const prices = providerPrices(provider);
  if (prices === null) return null;
  const lowerCase = name.toLowerCase().trim();
  for (const spelling of new Set([lowerCase, withDashedDates(lowerCase)])) {
    const found = findHereOrThere(prices, spelling);
    if (found !== null) return found;
  }
  return null;
}

function findHereOrThere(here: ProviderPrices, name: string): PricedModel | null {
  const there = here.fallbacks?.map(providerPrices) ?? [];
  for (const prices of [here, ...there]) {
    const found = prices?.models.find(([id, , match = id]) => matches(match, name));
    if (found !== undefined) return found;
  }
  return null;
}

function matches(match: NameMatch, name: string): boolean {
  if (typeof match === 'string') return name === match.toLowerCase();
  if (isAnyOf(match)) return match.some((one) => matches(one, name));
  if ('and' in match) return match.and.every((one) => matches(one, name));
  if ('starts_with' in match) return name.startsWith(match.starts_with);
  if ('ends_with' in match) return name.endsWith(match.ends_with);
  if ('contains' in match) return name.includes(match.contains);
  return new RegExp(match.regex).test(name);
}

/** `gpt-4o-20240806` is `gpt-4o-2024-08-06`, where that is a day. */
function withDashedDates(name: string): string {
  return name.replace(
    /-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g,
    (text, year: string, month: string, day: string) => {
      const isDay =
        new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
      return isDay ? `-${year}-${month}-${day}` : text;
    },
  );
}
