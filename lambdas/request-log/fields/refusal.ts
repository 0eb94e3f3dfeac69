/** The field of a log entry with the budget that has refused its request. */
import type { BudgetRefusal } from '#lambdas/limits/refusal.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import { boolean, type FieldType, nonEmptyText, nullable, oneOf, text, usd } from './field-type.ts';

/** Field names and their order are those of the API. */
export const refusalFields = {
  by: oneOf(['budget']),
  owner: oneOf(['organization', 'api_key']),
  api_key_id: nullable(nonEmptyText),
  period: oneOf(['day', 'month']),
  limit_usd: usd,
  needed_usd: usd,
  left_usd: usd,
  resets_at: text,
  reserved_by_others: boolean,
} satisfies { [Field in keyof BudgetRefusal]: FieldType<BudgetRefusal[Field]> };

export const refusalFieldNames = Object.keys(refusalFields) as (keyof BudgetRefusal)[];

export const refusalType: FieldType<BudgetRefusal> = {
  json: 'object',
  accepts: (value): value is BudgetRefusal =>
    isJsonObject(value) &&
    Object.keys(value).every((name) => Object.hasOwn(refusalFields, name)) &&
    refusalFieldNames.every((name) => refusalFields[name].accepts(value[name])),
};

/** With amounts as numbers with all digits. */
export function refusalJson(refusal: BudgetRefusal): JsonObject {
  const json: JsonObject = { ...refusal };
  for (const name of refusalFieldNames) {
    if (refusalFields[name].json === 'number') json[name] = usdJson(String(refusal[name]));
  }
  return json;
}
