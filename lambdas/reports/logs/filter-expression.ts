/** The conditions of a query as filter expressions on items. */
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { namedErrorCodes, statusInErrorCode } from '#lambdas/request-log/error-code.ts';
import { logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import type { EntryBounds } from './query/query.ts';
import type { FieldRange } from './query/ranges.ts';

/** A part of a filter expression, with the names and values that it uses. */
interface FilterCondition {
  expression: string;
  names: Record<string, string>;
  values: Record<string, string | number | NumberValue>;
}

/** `field` names the condition, `name` the attribute. */
export function equalityCondition(
  field: string,
  { name, value }: { name: string; value: string | number },
): FilterCondition {
  return {
    expression: `#${field} = :${field}`,
    names: { [`#${field}`]: name },
    values: { [`:${field}`]: value },
  };
}

export function absenceCondition(field: string): FilterCondition {
  return { expression: `attribute_not_exists(#${field})`, names: { [`#${field}`]: field }, values: {} };
}

/** `matchesErrorCode` as a filter expression on items. */
export function errorCondition(code: string): FilterCondition {
  const names = { '#error_code': 'error_code' };
  const status = statusInErrorCode(code);
  if (status === null)
    return { expression: '#error_code = :error_code', names, values: { ':error_code': code } };
  const namedCodes = Object.fromEntries(
    namedErrorCodes.map((named, index) => [`:error_code${index}`, named]),
  );
  return {
    expression:
      'attribute_exists(#error_code) AND #error_status = :error_status' +
      ` AND NOT #error_code IN (${Object.keys(namedCodes).join(', ')})`,
    names: { ...names, '#error_status': 'status' },
    values: { ...namedCodes, ':error_status': status },
  };
}

export function boundConditions({
  ranges,
  excludedOutcomes,
  writtenSinceMs,
}: EntryBounds): FilterCondition[] {
  const written: FilterCondition[] =
    writtenSinceMs === undefined
      ? []
      : [
          {
            expression: '#written >= :written',
            names: { '#written': logEntriesSchema.writtenAt },
            values: { ':written': writtenSinceMs },
          },
        ];
  return [
    ...written,
    ...ranges.flatMap(rangeConditions),
    ...excludedOutcomes.map((outcome, index) => ({
      expression: `#any_outcome <> :not_outcome${index}`,
      names: { '#any_outcome': 'outcome' },
      values: { [`:not_outcome${index}`]: outcome },
    })),
  ];
}

function rangeConditions({ field, min, max }: FieldRange): FilterCondition[] {
  const names = { [`#range_${field}`]: field };
  const compared = (operator: '>=' | '<=', bound: 'min' | 'max', text: string): FilterCondition => ({
    expression: `#range_${field} ${operator} :${bound}_${field}`,
    names,
    values: { [`:${bound}_${field}`]: NumberValue.from(text) },
  });
  // Items store no zero of it.
  const isAbsentZero = field === 'retries' && min === '0';
  if (isAbsentZero && max === null) return [];
  const above = isAbsentZero ? [] : [compared('>=', 'min', min)];
  if (max === null) return above;
  const below = compared('<=', 'max', max);
  if (!isAbsentZero) return [...above, below];
  return [{ ...below, expression: `(attribute_not_exists(#range_${field}) OR ${below.expression})` }];
}
