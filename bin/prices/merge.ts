/** Merges the package's prices with the gateway's own ones, which take precedence. */
import { isDeepStrictEqual } from 'node:util';
import { type ListPrices, listPricesOf } from '#lambdas/pricing/list-prices.ts';
import { isNamed, matches } from '#lambdas/pricing/table/find-model.ts';
import {
  isSchedule,
  type ModelPrices,
  type NameMatcher,
  type PricedModel,
  type PricedTier,
  type PriceFactor,
  type PriceSchedule,
  type ProviderPrices,
  pricedUnits,
  type ScheduledPrices,
  type UnitPrice,
} from '#lambdas/pricing/table/provider-prices.ts';
import type { FactorRow, PriceRow, TokenRow, UnitRow } from './price-rows.ts';

export function mergePrices(base: ProviderPrices, rows: readonly PriceRow[]): ProviderPrices {
  const tokenRows = rows.filter((row) => row.unit === 'usd_per_million_tokens');
  const factorRows = rows.filter((row) => row.unit === 'factor');
  const unitRows = rows.filter(isUnitRow);
  const tiers = tiersOf(tokenRows);
  const factors = factorRows.flatMap(toFactors);
  const units = unitRows.flatMap(toUnitPrices);
  const derived = rows
    .filter((row) => row.unit === 'derived')
    .map(({ models, prices }) => ({ match: toMatcher(models), prices }));
  const free = rows.filter((row) => row.unit === 'free').flatMap(({ models }) => models.map(toNameMatcher));
  const hosts = factorRows.flatMap(({ hosts: names, when }) =>
    names.map((name) => [name, when.region?.[0] ?? ''] as const),
  );
  return {
    ...base,
    models: mergeModels(withoutForeignNames(base.models, free), tokenRows.filter(isStandard)),
    ...(tiers.length > 0 && { tiers }),
    ...(factors.length > 0 && { factors }),
    ...(units.length > 0 && { units }),
    ...(derived.length > 0 && { derived }),
    ...(free.length > 0 && { free }),
    ...(hosts.length > 0 && { hosts: Object.fromEntries(hosts) }),
  };
}

/** The package lists names of a reseller's free models under their authors, where they would be other models. */
function withoutForeignNames(models: readonly PricedModel[], free: readonly NameMatcher[]): PricedModel[] {
  return models.filter(([id]) => !id.endsWith(':free') || matches(free, id));
}

/** Rows of ours for models that the package has by name, and whether its prices are the same. */
export function findSupersededRows(
  base: ProviderPrices,
  rows: readonly PriceRow[],
): { model: string; hasSamePrices: boolean }[] {
  const standard = rows.filter((row) => row.unit === 'usd_per_million_tokens').filter(isStandard);
  return [...groupByModel(standard)].flatMap(([model, own]) => {
    const known = base.models.find(
      ([id, , match = id]) => matches(match, model) && isNamed([id, match], model),
    );
    if (known === undefined) return [];
    const prices = simplify(own.map(toSchedule));
    return [{ model, hasSamePrices: isDeepStrictEqual(prices, withoutUnits(known[1])) }];
  });
}

function isUnitRow(row: PriceRow): row is UnitRow {
  return row.unit === 'usd_per_thousand' || row.unit === 'usd_per_minute';
}

function isStandard({ when }: TokenRow): boolean {
  return when.service_tier === undefined && when.speed === undefined;
}

function groupByModel(rows: readonly TokenRow[]): Map<string, TokenRow[]> {
  const pairs = rows.flatMap((row) => row.models.map((model) => ({ model, row })));
  const groups = Map.groupBy(pairs, ({ model }) => model);
  return new Map([...groups].map(([model, group]) => [model, group.map(({ row }) => row)]));
}

/** New models come first, so that no pattern of the package matches them. */
function mergeModels(models: readonly PricedModel[], rows: readonly TokenRow[]): PricedModel[] {
  const own = groupByModel(rows);
  const replaced = models.map((model): PricedModel => {
    const [id, prices, ...others] = model;
    const replacement = own.get(id);
    own.delete(id);
    return replacement === undefined ? model : [id, replacePrices(prices, replacement), ...others];
  });
  const added = [...own].map(([model, priceRows]): PricedModel => {
    const [, prices] = models.find(([id, , match = id]) => matches(match, model)) ?? [];
    const isComplete = priceRows.some(isUnconditional);
    return [
      model,
      isComplete ? simplify(priceRows.map(toSchedule)) : replacePrices(prices ?? {}, priceRows),
      { versions_of: model.toLowerCase() },
    ];
  });
  return [...added, ...replaced];
}

/** Keeps the package's prices for the times that no own row covers, and its prices of searches. */
function replacePrices(prices: ModelPrices, rows: readonly TokenRow[]): ModelPrices {
  const known: PriceSchedule = isSchedule(prices) ? prices : [{ prices }];
  const units = Object.entries(known[0].prices).filter(([name]) => name.endsWith('_kcount'));
  const own = rows.map(toSchedule).map((entry) => ({
    ...entry,
    prices: { ...entry.prices, ...Object.fromEntries(units) },
  }));
  return simplify(rows.some(isUnconditional) ? own : [...known, ...own]);
}

function isUnconditional({ when: { from, between, days } }: TokenRow): boolean {
  return from === undefined && between === undefined && days === undefined;
}

function simplify(entries: readonly ScheduledPrices[]): ModelPrices {
  const [first, ...others] = entries;
  if (first === undefined) throw new Error('A model has no prices');
  return others.length === 0 && Object.keys(first).length === 1 ? first.prices : [first, ...others];
}

function withoutUnits(prices: ModelPrices): ModelPrices {
  const strip = (list: ListPrices) =>
    Object.fromEntries(Object.entries(list).filter(([name]) => !name.endsWith('_kcount')));
  if (!isSchedule(prices)) return strip(prices);
  return simplify(prices.map((entry) => ({ ...entry, prices: strip(entry.prices) })));
}

function toSchedule({ when, prices, above, assumed }: TokenRow): ScheduledPrices {
  const { from, between, days, except } = when;
  return {
    ...(from !== undefined && { from }),
    ...(between !== undefined && { between: [`${between[0]}:00`, `${between[1]}:00`] }),
    ...(days !== undefined && { weekdays: true }),
    ...(except !== undefined && { except }),
    ...(assumed !== undefined && { assumed: true }),
    prices: listPricesOf({ prices, above }),
  };
}

function tiersOf(rows: readonly TokenRow[]): PricedTier[] {
  const namesOf = ({ when: { service_tier = [], speed = [] } }: TokenRow) => [...service_tier, ...speed];
  const byTier = Map.groupBy(
    rows.filter((row) => namesOf(row).length > 0),
    (row) => JSON.stringify(namesOf(row)),
  );
  return [...byTier].map(([names, own]) => ({ names: JSON.parse(names), models: mergeModels([], own) }));
}

function toMatcher(models: FactorRow['models']): NameMatcher {
  const matchers = models.map(toNameMatcher);
  const [first] = matchers;
  return first !== undefined && matchers.length === 1 ? first : matchers;
}

function toNameMatcher(model: FactorRow['models'][number]): NameMatcher {
  return typeof model === 'string' ? { versions_of: model.toLowerCase() } : model;
}

function toFactors({ models, when, prices, assumed }: FactorRow): PriceFactor[] {
  const match = toMatcher(models);
  return (['service_tier', 'speed', 'inference_geo', 'region'] as const).flatMap((condition) =>
    (when[condition] ?? []).map((is) => ({
      when: condition,
      is,
      match,
      factor: prices.tokens,
      ...(assumed !== undefined && { assumed: true as const }),
    })),
  );
}

function toUnitPrices({ models, prices, assumed }: UnitRow): UnitPrice[] {
  const match = toMatcher(models);
  return pricedUnits.flatMap((unit) => {
    const usd = prices[unit];
    if (usd === undefined) return [];
    return [{ unit, match, usd, ...(assumed !== undefined && { assumed: true as const }) }];
  });
}
