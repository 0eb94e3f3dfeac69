/**
 * Reads the limit of the output from the text of a request, as an upper bound for all servers. Some use the first of
 * duplicate keys, some the last; Go's JSON parser ignores the case of keys
 * (https://pkg.go.dev/encoding/json#Unmarshal); and some servers know only one of the two limits.
 */
import type { OutputLimit } from '#lambdas/limits/estimate.ts';
import { type JsonMember, jsonMembers, skipWhitespace } from '#lambdas/platform/json/members.ts';
import { lenientPositiveInteger, positiveInteger } from '../output-limit.ts';

/** Unlike `toLowerCase`, the flags equate all letters that Go does, such as s and ſ. */
const limits = [
  { name: 'max_completion_tokens', inAnyCase: /^max_completion_tokens$/iu },
  { name: 'max_tokens', inAnyCase: /^max_tokens$/iu },
];
const completions = { name: 'n', inAnyCase: /^n$/iu };

/** `text` is the JSON of an object. */
export function readOutputLimit(text: string): OutputLimit {
  const members = jsonMembers(text, skipWhitespace(text, 0));
  const given = limits
    .map((limit) => findParameter(text, members, limit))
    .filter(({ values }) => values.some((value) => value !== null));
  const values = given.flatMap((limit) => limit.values);
  const max = maxCount(values, 0);
  const isLimitUncertain =
    !given.some(({ isNamedExactly }) => isNamedExactly) ||
    values.some((value) => positiveInteger(value) === null);
  return {
    maxOutputTokens: max === 0 ? null : max,
    isLimitUncertain,
    completions: maxCount(findParameter(text, members, completions).values, 1),
  };
}

interface Parameter {
  /** False if the name is only given in another case, which most servers do not know. */
  isNamedExactly: boolean;
  /** Includes those of the name in another case. */
  values: unknown[];
}

function findParameter(
  text: string,
  members: readonly JsonMember[],
  { name, inAnyCase }: { name: string; inAnyCase: RegExp },
): Parameter {
  const found = members.filter(({ key }) => inAnyCase.test(key));
  return {
    isNamedExactly: found.some(({ key }) => key === name),
    values: found.map(({ start, end }): unknown => JSON.parse(text.slice(start, end))),
  };
}

/** Returns `min` if no value is a positive integer. */
function maxCount(values: readonly unknown[], min: number): number {
  return values.reduce<number>((max, value) => Math.max(max, lenientPositiveInteger(value) ?? min), min);
}
