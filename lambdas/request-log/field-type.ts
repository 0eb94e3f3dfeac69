/** What the fields of a log entry can hold. Checks by hand, since functions load no schema library. */
import type { Usd } from '#lambdas/platform/money.ts';
import { isUuid } from './id.ts';

/** What a field can hold. */
export interface FieldType<Value> {
  /** The type that the API shows. A `number` is money: decimal text here, a number with every digit in JSON and DynamoDB. */
  json: 'string' | 'integer' | 'number' | 'boolean';
  /** The values of an enumeration. */
  values?: readonly Value[];
  nullable?: true;
  accepts(value: unknown): value is Value;
}

export const text: FieldType<string> = { json: 'string', accepts: isWellFormed };
/** Text that is in a key of the table or of an index, where DynamoDB takes no empty text. */
export const keyText: FieldType<string> = {
  json: 'string',
  accepts: (value): value is string => isWellFormed(value) && value !== '',
};

export const uuid: FieldType<string> = {
  json: 'string',
  accepts: (value): value is string => typeof value === 'string' && isUuid(value),
};

export const count: FieldType<number> = { json: 'integer', accepts: isCount };

export const httpStatus: FieldType<number> = {
  json: 'integer',
  accepts: (value): value is number => isCount(value) && value >= 100 && value <= 599,
};

/** US dollars as decimal text of at most twelve decimals. */
export const usd: FieldType<Usd> = {
  json: 'number',
  accepts: (value): value is Usd => typeof value === 'string' && /^\d{1,15}(\.\d{1,12})?$/.test(value),
};

export const flag: FieldType<boolean> = {
  json: 'boolean',
  accepts: (value): value is boolean => typeof value === 'boolean',
};

export function oneOf<const Value extends string>(values: readonly Value[]): FieldType<Value> {
  return {
    json: 'string',
    values,
    accepts: (value): value is Value => values.some((known) => known === value),
  };
}

/** Also `null`, where the field does not apply. */
export function nullable<Value>({ json, values, accepts }: FieldType<Value>): FieldType<Value | null> {
  return {
    json,
    ...(values !== undefined && { values }),
    nullable: true,
    accepts: (value): value is Value | null => value === null || accepts(value),
  };
}

function isWellFormed(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
