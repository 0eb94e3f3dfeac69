/** Reads the cost that a provider states in `usage`. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { addUsd, type Usd, usdFromNumber } from '#lambdas/platform/money.ts';
import type { ReportedCostField } from './catalog.ts';

export function readReportedCost(usage: unknown, field: ReportedCostField | null): Usd | null {
  if (!isJsonObject(usage)) return null;
  switch (field) {
    case null:
      return null;
    case 'cost':
      return costInCredits(usage);
    case 'cost_in_usd_ticks':
      return costInTicks(usage);
    default:
      return field satisfies never;
  }
}

/**
 * A credit of OpenRouter is one US dollar. With the account's own key for the upstream provider (BYOK), `cost` is only
 * OpenRouter's fee, to which the upstream cost is added; otherwise both fields contain the same amount.
 * https://openrouter.ai/docs/use-cases/usage-accounting
 */
function costInCredits({ cost, is_byok: ownKey, cost_details: details }: JsonObject): Usd | null {
  const fee = readAmount(cost);
  if (ownKey !== true || fee === null) return fee;
  const upstream = readAmount(isJsonObject(details) ? details.upstream_inference_cost : null);
  return upstream === null ? null : addUsd(fee, upstream);
}

/** A plausibility limit; JavaScript writes far larger numbers with an exponent. */
const maxUsd = 1_000_000_000;

function readAmount(value: unknown): Usd | null {
  return typeof value === 'number' && value >= 0 && value <= maxUsd ? usdFromNumber(value) : null;
}

/** A dollar has 10¹⁰ ticks: https://docs.x.ai/developers/cost-tracking */
function costInTicks({ cost_in_usd_ticks: ticks }: JsonObject): Usd | null {
  if (typeof ticks !== 'number' || !Number.isSafeInteger(ticks) || ticks < 0) return null;
  const digits = String(ticks).padStart(11, '0');
  const fraction = digits.slice(-10).replace(/(?<!0)0+$/, '');
  return fraction === '' ? digits.slice(0, -10) : `${digits.slice(0, -10)}.${fraction}`;
}
