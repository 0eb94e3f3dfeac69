/** The field of a log entry with the budget or the rate limit that has refused its request. */
import { rateLimitNames } from '#lambdas/limits/rates/rate-limits.ts';
import type { Refusal } from '#lambdas/limits/refusal.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import {
  boolean,
  count,
  type FieldType,
  nonEmptyText,
  nullable,
  objectOf,
  oneOf,
  text,
  usd,
} from './field-type.ts';

type Fields<By extends Refusal['by']> = Extract<Refusal, { by: By }>;

const ownerFields = { owner: oneOf(['organization', 'api_key']), api_key_id: nullable(nonEmptyText) };

/** By what refused the request. Field names and their order are those of the API. */
export const refusalFields = {
  budget: {
    by: oneOf(['budget']),
    ...ownerFields,
    period: oneOf(['day', 'month']),
    limit_usd: usd,
    needed_usd: usd,
    left_usd: usd,
    resets_at: text,
    reserved_by_others: boolean,
  },
  rate_limit: {
    by: oneOf(['rate_limit']),
    ...ownerFields,
    limit: oneOf(rateLimitNames),
    limit_value: count,
    retry_after_ms: count,
  },
} satisfies {
  [By in Refusal['by']]: { [Field in keyof Fields<By>]: FieldType<Fields<By>[Field]> };
};

function fieldsOf({ by }: JsonObject): Record<string, FieldType<unknown>> | null {
  return by === 'budget' || by === 'rate_limit' ? refusalFields[by] : null;
}

/** Empty if it is unknown by what the request was refused. */
export function refusalFieldNames(refusal: JsonObject): string[] {
  return Object.keys(fieldsOf(refusal) ?? {});
}

export const refusalType = objectOf<Refusal>(fieldsOf);

/** With amounts as numbers with all digits. */
export function refusalJson(refusal: Refusal): JsonObject {
  const json: JsonObject = { ...refusal };
  for (const [name, type] of Object.entries(fieldsOf(json) ?? {})) {
    if (type.json === 'number') json[name] = usdJson(String(json[name]));
  }
  return json;
}
