/** Compares imported prices with those of the price table, so that an import does not lower costs by accident. */

import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { hourMs } from '#lambdas/platform/duration.ts';
import { noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import { customPriceDelayMs } from '#lambdas/pricing/custom/lookup.ts';
import { inferenceGeos } from '#lambdas/pricing/max-rates.ts';
import type { PriceSources } from '#lambdas/pricing/precedence.ts';
import { type Rates, tokenKinds } from '#lambdas/pricing/rates.ts';
import { findTablePrices } from '#lambdas/pricing/table/price-table.ts';
import type { ImportedPrice } from './price-file.ts';
import { boundsOf, findPrice, lookupOf, type RequestLookup, settingsOf } from './request-prices.ts';

interface BuiltInPrices {
  settings: ProviderSettingsByName;
  now(): Date;
}

/**
 * True when any request would cost less than by the table: of any kind of token, length or inference geography, at the
 * start of the price or an hour of the week after it. Prices that the table only assumes count as well.
 */
export function isBelowBuiltIn(imported: ImportedPrice, { settings, now }: BuiltInPrices): boolean {
  const { model, tier, price } = imported;
  if (price === null) return false;
  const start = imported.from ?? new Date(now().getTime() + customPriceDelayMs);
  const { priceFactor } = settingsOf(model, settings);
  const builtIn: PriceSources = {
    settings: priceFactor === undefined ? {} : { priceFactor },
    findCustomPrices: () => noCustomPrices,
  };
  const custom: PriceSources = {
    settings: {},
    findCustomPrices: () => ({ organization: [], all: [{ from: start.toISOString(), tier, price }] }),
  };
  return lookupsFrom(lookupOf({ model, tier, at: start }, settings)).some((lookup) => {
    const bounds = [...boundsOf(lookup, builtIn), ...boundsOf(lookup, custom)];
    return [0, ...bounds.flatMap((bound) => [bound, bound + 1])].some((length) => {
      const [before, after] = [builtIn, custom].map((sources) => findPrice(lookup, sources, length)?.rates);
      return before !== undefined && after !== undefined && isLower(after, before);
    });
  });
}

function isLower(after: Rates, before: Rates): boolean {
  return (
    after.usdPerThousandRequests < before.usdPerThousandRequests ||
    tokenKinds.some((kind) => {
      const [usd, usdBefore] = [after.usdPerMillion[kind], before.usdPerMillion[kind]];
      return usd !== null && usdBefore !== null && usd < usdBefore;
    })
  );
}

/** The inference geographies, at the times that have prices of their own. */
function lookupsFrom(lookup: RequestLookup): RequestLookup[] {
  return timesFrom(lookup).flatMap((at) =>
    inferenceGeos(lookup.provider).map((inferenceGeo) => ({
      ...lookup,
      context: { ...lookup.context, inferenceGeo },
      at,
    })),
  );
}

const weekHours = 7 * 24;

/** Providers have schedules of hours and weekdays. */
function timesFrom(lookup: RequestLookup): Date[] {
  const hours = Array.from({ length: weekHours }, (_, hour) => new Date(lookup.at.getTime() + hour * hourMs));
  const byPrices = new Map(hours.reverse().map((at) => [findTablePrices({ ...lookup, at })?.prices, at]));
  return [...byPrices.values()];
}
