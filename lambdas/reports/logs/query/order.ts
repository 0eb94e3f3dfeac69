/** The order of a list: by time, in pages, or by another number, as one page of the first entries in that order. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readChoice } from '#lambdas/platform/http/query.ts';
import { type FieldRange, type RangeField, rangeFields } from './ranges.ts';

const byTime = 'created_at';
const sortFields = [byTime, ...rangeFields] as const;
const directions = ['desc', 'asc'] as const;

export interface ListOrder {
  sort: (typeof sortFields)[number];
  direction: (typeof directions)[number];
}

interface OrderParameters {
  sort?: string;
  order?: string;
  offset?: string;
  cursor?: string;
}

/** Throws a `GatewayError` (400) that names the parameter. */
export function readOrder({ sort = byTime, order = 'desc', offset, cursor }: OrderParameters): ListOrder {
  const field = readChoice('sort', sort, sortFields);
  const direction = readChoice('order', order, directions);
  if (field !== byTime) {
    refuse('cursor', cursor, field);
    refuse('offset', offset, field);
  }
  return { sort: field, direction };
}

function refuse(name: 'cursor' | 'offset', value: string | undefined, field: RangeField): void {
  if (value === undefined) return;
  throw invalidRequestError(
    name,
    `${name} cannot be combined with sort=${field}, whose list has one page: remove ${name}, and narrow the conditions to see other entries`,
  );
}

/** The field that the list is sorted by; `null` for the time. */
export function sortedField({ sort }: ListOrder): RangeField | null {
  return sort === byTime ? null : sort;
}

/** A list that is sorted by a field has only entries with it. */
export function rangesWithSorted(ranges: readonly FieldRange[], order: ListOrder): FieldRange[] {
  const field = sortedField(order);
  if (field === null || ranges.some((range) => range.field === field)) return [...ranges];
  return [...ranges, { field, min: '0', max: null }];
}
