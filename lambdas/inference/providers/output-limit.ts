/** Reads the limits of the output that callers may have chosen. */
import type { OutputLimit } from '#lambdas/limits/estimate.ts';
import { roundRawNumber } from '#lambdas/platform/json/exact-json.ts';
import { type LooseField, looseJson, looseObject, parseValue } from '#lambdas/platform/json/loose-json.ts';

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

/**
 * Reads the limit from the text of a request, the JSON of an object, as an upper bound for all servers: some know only one of
 * the names, and Anthropic's API has only `max_tokens`.
 */
export function readOutputLimit(
  text: string,
  names: readonly string[] = ['max_completion_tokens', 'max_tokens'],
): OutputLimit {
  const body = looseObject(looseJson(text));
  const given = names
    .map((name) => readParameter(body.find(name)))
    .filter(({ values }) => values.some((value) => value !== null));
  const values = given.flatMap((limit) => limit.values);
  const max = maxCount(values, 0);
  const isLimitUncertain =
    !given.some(({ isNamedExactly }) => isNamedExactly) ||
    values.some((value) => positiveInteger(value) === null);
  return {
    maxOutputTokens: max === 0 ? null : max,
    isLimitUncertain,
    completions: maxCount(body.find('n').values.map(parseValue), 1),
  };
}

function readParameter({ values, isNamedExactly }: LooseField) {
  return { values: values.map(parseValue), isNamedExactly };
}

/** Returns `min` if no value is a positive integer. */
function maxCount(values: readonly unknown[], min: number): number {
  return values.reduce<number>((max, value) => Math.max(max, lenientPositiveInteger(value) ?? min), min);
}
