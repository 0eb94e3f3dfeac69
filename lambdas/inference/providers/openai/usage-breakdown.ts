/** Reads the usage by model of Groq's compound systems, which are billed at the prices of the models they call. */
import type { UnitCounts } from '#lambdas/inference/completion/facts.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import {
  type BilledPart,
  type BilledParts,
  inputTokens,
  type TokenUsage,
  totalUsage,
} from '#lambdas/pricing/usage.ts';
import { readOpenAiUsage } from './usage.ts';

export function findBreakdown({ usage_breakdown: breakdown, x_groq: groq }: JsonObject): JsonObject | null {
  const found = isJsonObject(breakdown) ? breakdown : objectOrEmpty(groq).usage_breakdown;
  return isJsonObject(found) ? found : null;
}

/**
 * Returns one part for each call of a model; the first one has the units. Returns `null` unless the calls add up to the usage
 * of the response: in recorded streams, every entry repeats the total.
 */
export function partsOfBreakdown(
  breakdown: JsonObject | null,
  { usage, units }: { usage: TokenUsage; units: UnitCounts },
): BilledParts | null {
  // Far more calls than a system makes. Every chunk with usage reads the list again.
  if (!Array.isArray(breakdown?.models) || breakdown.models.length > 1000) return null;
  const calls = breakdown.models.map(readCall).filter((call) => call !== null);
  const [first, ...others] = calls;
  if (first === undefined || calls.length < breakdown.models.length) return null;
  if (!isSameUsage(totalUsage([first, ...others]), usage)) return null;
  // The fees of tools do not depend on the model.
  return [{ model: first.model, usage: { ...first.usage, ...units } }, ...others];
}

function readCall(call: unknown): BilledPart | null {
  const { model, usage } = objectOrEmpty(call);
  const read = readOpenAiUsage(usage);
  return read === null || stringOrEmpty(model) === '' ? null : { model: stringOrEmpty(model), usage: read };
}

function isSameUsage(left: TokenUsage, right: TokenUsage): boolean {
  return (
    left.missing === undefined &&
    inputTokens(left) === inputTokens(right) &&
    left.cachedInputTokens === right.cachedInputTokens &&
    left.outputTokens === right.outputTokens
  );
}
