/** Ranges of the numbers of an entry, by which lists are also sorted. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readInteger } from '#lambdas/platform/http/query.ts';
import { fromUnits, toUnits, type Usd } from '#lambdas/platform/money.ts';
import type { LogEntry, Outcome } from '#lambdas/request-log/entry.ts';

export const rangeFields = [
  'cost_usd',
  'latency_ms',
  'time_to_first_token_ms',
  'total_tokens',
  'retries',
] as const;
export type RangeField = (typeof rangeFields)[number];

/** Both bounds are inclusive, and decimal text. An entry whose field is `null` is in no range. */
export interface FieldRange {
  field: RangeField;
  min: string;
  /** `null` for an open range. */
  max: string | null;
}

type RangeParameter = `${'min' | 'max'}_${RangeField}`;

/** `min_cost_usd`, `max_cost_usd`, `min_latency_ms` … */
export const rangeParameters = rangeFields.flatMap((field): RangeParameter[] => [
  `min_${field}`,
  `max_${field}`,
]);

/** Throws a `GatewayError` (400) that names the parameter. */
export function readRanges(parameters: { [Name in RangeParameter]?: string }): FieldRange[] {
  return rangeFields.flatMap((field): FieldRange[] => {
    const [minName, maxName] = [`min_${field}`, `max_${field}`] as const;
    const [minText, maxText] = [parameters[minName], parameters[maxName]];
    if (minText === undefined && maxText === undefined) return [];
    const min = minText === undefined ? '0' : readBound(minName, field, minText);
    const max = maxText === undefined ? null : readBound(maxName, field, maxText);
    if (max !== null && toUnits(min) > toUnits(max)) {
      throw invalidRequestError(
        minName,
        `${minName} must not be above ${maxName}: lower it or raise ${maxName}`,
      );
    }
    return [{ field, min, max }];
  });
}

const maxWholeNumber = 1_000_000_000_000;

function readBound(name: RangeParameter, field: RangeField, text: string): string {
  if (field !== 'cost_usd') return String(readInteger(name, text, { min: 0, max: maxWholeNumber }));
  return readUsd(name, text);
}

function readUsd(name: string, text: string): Usd {
  if (/^\d{1,9}(\.\d{1,12})?$/.test(text)) return fromUnits(toUnits(text));
  throw invalidRequestError(
    name,
    `${name} must be an amount in US dollars, such as 0.25, with at most 9 digits before the decimal point and 12 after it`,
  );
}

/** `null` for an entry that is in no range of the field. */
export function rangeValue(entry: LogEntry, field: RangeField): bigint | null {
  // Entries store no zero for it.
  const value = field === 'retries' ? (entry.retries ?? 0) : entry[field];
  return value === null ? null : toUnits(String(value));
}

/** Requests without a cost, tokens or a provider's latency, which are in no range. */
const outsideAll: readonly Outcome[] = ['rejected'];
/** How long interrupted requests took is not known, so their latencies are in no percentile, either. */
const outsideDurations: readonly Outcome[] = [...outsideAll, 'interrupted'];
const durationFields: readonly RangeField[] = ['latency_ms', 'time_to_first_token_ms'];

export function isDuration(field: RangeField): boolean {
  return durationFields.includes(field);
}

/** The outcomes of entries that are in none of the ranges. None if the query requests an outcome, whichever. */
export function outcomesOutside(
  ranges: readonly FieldRange[],
  requested: string | undefined,
): readonly Outcome[] {
  if (ranges.length === 0 || requested !== undefined) return [];
  return ranges.some(({ field }) => isDuration(field)) ? outsideDurations : outsideAll;
}
