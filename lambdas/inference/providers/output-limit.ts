/** Reads the numbers that limit the output, from values that the caller may have chosen. */
import type { OutputLimit } from '#lambdas/limits/estimate.ts';
import { roundRawNumber } from '#lambdas/platform/json/exact-json.ts';

/** The limit of an operation whose results are no output of a model. */
export const noOutput: OutputLimit = { maxOutputTokens: null, completions: 0 };

/** Returns `null` for any other value: providers reject it, or treat it like no limit. */
export function positiveInteger(value: unknown): number | null {
  const number = roundRawNumber(value);
  return Number.isSafeInteger(number) && Number(number) > 0 ? Number(number) : null;
}

/**
 * Accepts text too, like the JSON format of Protocol Buffers (https://protobuf.dev/programming-guides/json/) and Pydantic
 * (https://docs.pydantic.dev/latest/concepts/conversion_table/), which also allows underscores in it.
 */
export function lenientPositiveInteger(value: unknown): number | null {
  return positiveInteger(typeof value === 'string' ? Number(value.replaceAll('_', '')) : value);
}
