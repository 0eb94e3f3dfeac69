/** Validates Converse requests by the SDK's schema: known members only, values of the right type. */
import { ConverseRequest$ } from '@aws-sdk/client-bedrock-runtime';
import { NormalizedSchema } from '@smithy/core/schema';
import { isJsonObject } from '#lambdas/platform/json/json.ts';

/** The schema also requires the model id, which is in the URL. */
export function findShapeError(body: object, modelId: string): string | null {
  return valueError({ ...body, modelId }, NormalizedSchema.of(ConverseRequest$), '#');
}

function valueError(value: unknown, schema: NormalizedSchema, location: string): string | null {
  if (schema.isDocumentSchema()) return null;
  if (schema.isBlobSchema()) {
    const isBase64 = typeof value === 'string' && /^(?:[A-Za-z0-9+/]{4})*(?:..==|...=)?$/.test(value);
    return isBase64 ? null : `${location}: Invalid Base64 encoding`;
  }
  if (schema.isListSchema() && Array.isArray(value)) {
    return firstError(
      value.map((item, index) => valueError(item, schema.getValueSchema(), `${location}/${index}`)),
    );
  }
  if (schema.isMapSchema() && isJsonObject(value)) {
    return firstError(
      Object.entries(value).map(([key, item]) =>
        valueError(item, schema.getValueSchema(), `${location}/${key}`),
      ),
    );
  }
  if (schema.isStructSchema() && isJsonObject(value)) return structError(value, schema, location);
  const isScalar =
    (schema.isStringSchema() && typeof value === 'string') ||
    (schema.isNumericSchema() && typeof value === 'number') ||
    (schema.isBooleanSchema() && typeof value === 'boolean');
  return isScalar ? null : `${location}: Unexpected value type in payload`;
}

/**
 * `[kind, namespace, name, traits, member names, member schemas, number of required members]`. Required members come
 * first.
 */
type StructSchema = [kind: number, string, string, unknown, members: string[], unknown[], required?: number];

function structError(
  value: Record<string, unknown>,
  schema: NormalizedSchema,
  location: string,
): string | null {
  const members = Object.fromEntries(schema.structIterator());
  const [kind, , , , names, , required = 0] = schema.getSchema() as unknown as StructSchema;
  const isUnion = kind === 4;
  if (isUnion && Object.keys(value).length !== 1)
    return `${location}: Union must have exactly one member set`;
  const missing = names.slice(0, required).find((name) => value[name] === undefined);
  if (missing !== undefined) return `${location}/${missing}: Member must not be null`;
  return firstError(
    Object.entries(value).map(([name, item]) => {
      const member = members[name];
      if (member === undefined) return `${location}: extraneous key [${name}] is not permitted`;
      return valueError(item, member, `${location}/${name}`);
    }),
  );
}

function firstError(errors: (string | null)[]): string | null {
  return errors.find((error) => error !== null) ?? null;
}
