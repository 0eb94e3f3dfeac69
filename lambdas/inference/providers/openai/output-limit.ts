/** Reads the limit of the output from the text of a request, as an upper bound for all servers: some know only one limit. */
import type { OutputLimit } from '#lambdas/limits/estimate.ts';
import { type LooseField, looseJson, looseObject, parseValue } from '#lambdas/platform/json/loose-json.ts';
import { lenientPositiveInteger, positiveInteger } from '../output-limit.ts';

/** `text` is the JSON of an object. */
export function readOutputLimit(text: string): OutputLimit {
  const body = looseObject(looseJson(text));
  const given = ['max_completion_tokens', 'max_tokens']
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
