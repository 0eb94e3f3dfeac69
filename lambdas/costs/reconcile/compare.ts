/** Compares the gateway's costs with those of the provider's cost report, by UTC day and model. */

import { addUsd, fromUnits, subtractUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import { addGatewaySums, type GatewaySums, noGatewaySums } from './gateway-costs.ts';
import { addModelCosts, type CostsByModel, type ModelCosts, modelKey } from './model-costs.ts';

/** A line of the provider's report. */
export interface ReportItem {
  /** `YYYY-MM-DD` */
  date: string;
  model: string | null;
  /** The provider's name of the item. */
  name: string;
  /** Negative for a credit. */
  usd: Usd;
}

export interface Comparison extends GatewaySums {
  provider_usd: Usd;
  /** The gateway's cost minus the provider's. */
  difference_usd: Usd;
  /** Relative to the provider's cost; `null` if that is 0. */
  difference_percent: Percent | null;
}

export interface ComparedModel extends Comparison {
  date: string;
  model: string | null;
  /** True if the difference is more than the tolerance, relative to the larger cost. */
  differs: boolean;
}

interface ItemWithoutModel {
  name: string;
  provider_usd: Usd;
}

export interface Reconciliation {
  /** By day and model; costs of no model are last. */
  rows: ComparedModel[];
  totals: Comparison;
  itemsWithoutModel: ItemWithoutModel[];
  /** False if the totals differ by more than the tolerance, relative to the provider's. */
  isWithinTolerance: boolean;
}

export function reconcile(
  gatewayCosts: CostsByModel<GatewaySums>,
  items: readonly ReportItem[],
  tolerance: Percent,
): Reconciliation {
  const gatewayDays = Map.groupBy(gatewayCosts.values(), ({ date }) => date);
  const providerDays = Map.groupBy(providerCostsOf(items).values(), ({ date }) => date);
  const rows = [...new Set([...gatewayDays.keys(), ...providerDays.keys()])]
    .sort()
    .flatMap((date) => compareDay(gatewayDays.get(date) ?? [], providerDays.get(date) ?? [], tolerance));
  const totals = compare(
    rows.reduce<GatewaySums>(addGatewaySums, noGatewaySums),
    rows.map(({ provider_usd }) => provider_usd).reduce(addUsd, '0'),
  );
  return {
    rows,
    totals,
    itemsWithoutModel: itemsWithoutModel(items),
    isWithinTolerance: !exceedsTolerance(totals.difference_usd, totals.provider_usd, tolerance),
  };
}

function providerCostsOf(items: readonly ReportItem[]): CostsByModel<Usd> {
  const costs: CostsByModel<Usd> = new Map();
  for (const { date, model, usd } of items) addModelCosts(costs, { date, model, sums: usd }, addUsd);
  return costs;
}

function compareDay(
  gatewayCosts: readonly ModelCosts<GatewaySums>[],
  providerCosts: readonly ModelCosts<Usd>[],
  tolerance: Percent,
): ComparedModel[] {
  const gateway = new Map(gatewayCosts.map((costs) => [modelKey(costs.model), costs]));
  const provider = new Map(providerCosts.map((costs) => [modelKey(costs.model), costs]));
  const matches = matchModels(gateway.keys(), provider.keys());
  const matched = [...provider].map(([key, { date, model, sums: providerUsd }]) => {
    const ours = gateway.get(matches.get(key) ?? key);
    return compareModel(
      { date, model: ours?.model ?? model },
      ours?.sums ?? noGatewaySums,
      providerUsd,
      tolerance,
    );
  });
  const matchedKeys = new Set(matches.values());
  const unmatched = [...gateway]
    .filter(([key]) => !matchedKeys.has(key))
    .map(([, { sums, ...row }]) => compareModel(row, sums, '0', tolerance));
  return [...matched, ...unmatched].sort(byModel);
}

function compareModel(
  row: Pick<ComparedModel, 'date' | 'model'>,
  gateway: GatewaySums,
  providerUsd: Usd,
  tolerance: Percent,
): ComparedModel {
  const comparison = compare(gateway, providerUsd);
  const larger = maxMagnitude(gateway.gateway_usd, providerUsd);
  const { date, model } = row;
  return {
    date,
    model,
    ...comparison,
    differs: exceedsTolerance(comparison.difference_usd, larger, tolerance),
  };
}

function compare({ gateway_usd, ...requests }: GatewaySums, provider_usd: Usd): Comparison {
  const difference_usd = subtractUsd(gateway_usd, provider_usd);
  const difference_percent = percentOf(difference_usd, provider_usd);
  return { gateway_usd, provider_usd, difference_usd, difference_percent, ...requests };
}

function byModel({ model: left }: ComparedModel, { model: right }: ComparedModel): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return modelKey(left) < modelKey(right) ? -1 : 1;
}

function itemsWithoutModel(items: readonly ReportItem[]): ItemWithoutModel[] {
  const byName = Map.groupBy(
    items.filter(({ model }) => model === null),
    ({ name }) => name,
  );
  return [...byName]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, named]) => ({
      name,
      provider_usd: named.map(({ usd }) => usd).reduce(addUsd, '0'),
    }));
}

/** `gpt-4o-2024-08-06`, `claude-opus-4-5-20251101` */
const dateSuffix = /-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;

/**
 * Matches the model names of the gateway with those of the invoice: returns the gateway's key of each provider's key that
 * has one. Names without a counterpart match if one is the other
 * with a date, and neither has another match: providers report usage of an alias under its snapshot, and vice versa.
 */
export function matchModels(
  gatewayKeys: Iterable<string>,
  providerKeys: Iterable<string>,
): Map<string, string> {
  const [gateway, provider] = [new Set(gatewayKeys), new Set(providerKeys)];
  const matches = new Map([...gateway.intersection(provider)].map((key) => [key, key]));
  const unmatched = Map.groupBy(gateway.difference(provider), withoutDate);
  for (const [undated, candidates] of Map.groupBy(provider.difference(gateway), withoutDate)) {
    const [providerKey = '', ...others] = candidates;
    const [gatewayKey, ...rivals] = unmatched.get(undated) ?? [];
    if (gatewayKey === undefined || others.length > 0 || rivals.length > 0) continue;
    // Two snapshots of a model can have different prices.
    if (gatewayKey === undated || providerKey === undated) matches.set(providerKey, gatewayKey);
  }
  return matches;
}

function withoutDate(key: string): string {
  return key.replace(dateSuffix, '');
}

/** Decimal text with at most twelve decimals, such as `0.5`. */
type Percent = string;

const onePercent = toUnits('1');

/** True if the difference is more than that percentage of the amount. Of nothing, any difference is more. */
export function exceedsTolerance(difference: Usd, amount: Usd, tolerance: Percent): boolean {
  return magnitude(difference) * 100n * onePercent > toUnits(tolerance) * magnitude(amount);
}

/** Rounded to two decimals. Positive for a positive difference, also of a credit; `null` for a percentage of nothing. */
export function percentOf(difference: Usd, amount: Usd): Percent | null {
  const whole = magnitude(amount);
  if (whole === 0n) return null;
  const hundredths = (magnitude(difference) * 20_000n + whole) / (2n * whole);
  const percent = fromUnits((hundredths * onePercent) / 100n);
  return difference.startsWith('-') && hundredths > 0n ? `-${percent}` : percent;
}

export function maxMagnitude(left: Usd, right: Usd): Usd {
  return magnitude(left) > magnitude(right) ? left : right;
}

function magnitude(amount: Usd): bigint {
  const units = toUnits(amount);
  return units < 0n ? -units : units;
}
