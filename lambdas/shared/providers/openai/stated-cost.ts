/** What a provider itself says that a request cost, in the `usage` of its answer. */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { addUsd, type Usd, usdFromNumber } from '../../domain/usd.ts';
import type { StatedCostField } from '../catalog.ts';

/** `null` when it does not say. */
export function readStatedCost(usage: unknown, field: StatedCostField | null): Usd | null {
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
 * OpenRouter's credit is a dollar. With a key of one's own there, `cost` is the fee alone, and what the model's provider
 * takes stands beside it; without one both say the same money.
 * https://openrouter.ai/docs/use-cases/usage-accounting
 */
function costInCredits({ cost, is_byok: ownKey, cost_details: details }: JsonObject): Usd | null {
  const fee = readAmount(cost);
  if (ownKey !== true || fee === null) return fee;
  const upstream = readAmount(isJsonObject(details) ? details.upstream_inference_cost : null);
  return upstream === null ? null : addUsd(fee, upstream);
}

/** No request costs more; a number that is far larger has no plain decimal notation. */
const mostUsd = 1_000_000_000;

function readAmount(value: unknown): Usd | null {
  return typeof value === 'number' && value >= 0 && value <= mostUsd ? usdFromNumber(value) : null;
}

/** 10¹⁰ ticks make a dollar: https://docs.x.ai/developers/cost-tracking */
function costInTicks({ cost_in_usd_ticks: ticks }: JsonObject): Usd | null {
  if (typeof ticks !== 'number' || !Number.isSafeInteger(ticks) || ticks < 0) return null;
  const digits = String(ticks).padStart(11, '0');
  const fraction = digits.slice(-10).replace(/(?<!0)0+$/, '');
  return fraction === '' ? digits.slice(0, -10) : `${digits.slice(0, -10)}.${fraction}`;
}
