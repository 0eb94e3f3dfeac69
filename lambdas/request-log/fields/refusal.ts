/** The facts about the budget that has refused a request, as they were at that moment. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { type Usd, usdJson } from '#lambdas/platform/money.ts';
import { boolean, type FieldType, nonEmptyText, nullable, oneOf, text, usd } from './field-type.ts';

/** Field names and their order are those of the API. */
export const refusalFields = {
  by: oneOf(['budget']),
  /** The owner of the budget. */
  owner: oneOf(['organization', 'api_key']),
  /** The key whose budget it is, the first one of those that have replaced each other; `null` for that of the organization. */
  api_key_id: nullable(nonEmptyText),
  period: oneOf(['day', 'month']),
  limit_usd: usd,
  /** The amount that could not be reserved: what the request might have cost at most. */
  needed_usd: usd,
  /** The amount that could have been reserved at most. */
  left_usd: usd,
  /** The end of the period: RFC 3339, milliseconds, UTC. */
  resets_at: text,
  /** True if the request would have fit without the reservations of other requests. */
  reserved_by_others: boolean,
} satisfies Record<string, FieldType<unknown>>;

type RefusalField = keyof typeof refusalFields;

type ValueOf<Type> = Type extends FieldType<infer Value> ? Value : never;

type Refusal = { [Field in RefusalField]: ValueOf<(typeof refusalFields)[Field]> };

export const refusalFieldNames = Object.keys(refusalFields) as RefusalField[];

export const refusalType: FieldType<Refusal> = {
  json: 'object',
  accepts: (value): value is Refusal =>
    isJsonObject(value) &&
    Object.keys(value).every((name) => Object.hasOwn(refusalFields, name)) &&
    refusalFieldNames.every((name) => refusalFields[name].accepts(value[name])),
};

/** With amounts as numbers with all digits. */
export function refusalJson(refusal: Refusal): JsonObject {
  const json: JsonObject = { ...refusal };
  for (const name of refusalFieldNames) {
    if (refusalFields[name].json === 'number') json[name] = usdJson(refusal[name] as Usd);
  }
  return json;
}
