/** The types of log entry fields. Written without a schema library, to keep it out of the functions. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';

export interface FieldType<Value> {
  /** The type in the API. A `number` is money: decimal text here, a number with all digits in JSON and DynamoDB. */
  json: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  values?: readonly Value[];
  /** The type of the elements of an array. */
  element?: FieldType<unknown>;
  nullable?: true;
  accepts(value: unknown): value is Value;
}

export const text: FieldType<string> = { json: 'string', accepts: isWellFormed };

/** The type of fields in a key of the table or of an index: DynamoDB allows no empty strings in keys. */
export const nonEmptyText: FieldType<string> = {
  json: 'string',
  accepts: (value): value is string => isWellFormed(value) && value !== '',
};

export const uuid: FieldType<string> = {
  json: 'string',
  accepts: (value): value is string => typeof value === 'string' && isUuid(value),
};

export const count: FieldType<number> = { json: 'integer', accepts: isCount };

export const positiveCount: FieldType<number> = {
  json: 'integer',
  accepts: (value): value is number => isCount(value) && value > 0,
};

export const httpStatus: FieldType<number> = {
  json: 'integer',
  accepts: (value): value is number => isCount(value) && value >= 100 && value <= 599,
};

/** Decimal text with at most twelve decimals. */
export const usd: FieldType<Usd> = {
  json: 'number',
  accepts: (value): value is Usd => typeof value === 'string' && /^\d{1,15}(\.\d{1,12})?$/.test(value),
};

export const boolean: FieldType<boolean> = {
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

export function nullable<Value>({ accepts, ...type }: FieldType<Value>): FieldType<Value | null> {
  return {
    ...type,
    nullable: true,
    accepts: (value): value is Value | null => value === null || accepts(value),
  };
}

/** A list without elements is `null` instead. */
export function listOf<Value>(element: FieldType<Value>): FieldType<readonly Value[]> {
  return {
    json: 'array',
    element,
    accepts: (value): value is Value[] =>
      Array.isArray(value) && value.length > 0 && value.every(element.accepts),
  };
}

/** An object with the fields that `fieldsOf` returns for it, and no others; `null` stands for no valid object. */
export function objectOf<Value extends object>(
  fieldsOf: (value: JsonObject) => Readonly<Record<string, FieldType<unknown>>> | null,
): FieldType<Value> {
  return {
    json: 'object',
    accepts(value): value is Value {
      const fields = isJsonObject(value) && fieldsOf(value);
      if (!fields) return false;
      return (
        Object.keys(value).every((name) => Object.hasOwn(fields, name)) &&
        Object.entries(fields).every(([name, type]) => type.accepts(value[name]))
      );
    },
  };
}

function isWellFormed(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
