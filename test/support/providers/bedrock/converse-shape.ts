/** The shape of a Converse request, by the SDK's own schema: no other members, every value of its type. */
import { ConverseRequest$ } from '@aws-sdk/client-bedrock-runtime';
import { NormalizedSchema } from '@smithy/core/schema';
import { isJsonObject } from '#lambdas/platform/json/json.ts';

/** The first problem, or `null`. The model's id, which the schema requires, is in the address. */
export function shapeProblem(body: object, modelId: string): string | null {
  return problemOf({ ...body, modelId }, NormalizedSchema.of(ConverseRequest$), '#');
}

function problemOf(value: unknown, schema: NormalizedSchema, place: string): string | null {
  if (schema.isDocumentSchema()) return null;
  if (schema.isBlobSchema()) {
    const isBase64 = typeof value === 'string' && /^(?:[A-Za-z0-9+/]{4})*(?:..==|...=)?$/.test(value);
    return isBase64 ? null : `${place}: Invalid Base64 encoding`;
  }
  if (schema.isListSchema() && Array.isArray(value)) {
    return firstOf(value.map((item, index) => problemOf(item, schema.getValueSchema(), `${place}/${index}`)));
  }
  if (schema.isMapSchema() && isJsonObject(value)) {
    return firstOf(
      Object.entries(value).map(([key, item]) => problemOf(item, schema.getValueSchema(), `${place}/${key}`)),
    );
  }
  if (schema.isStructSchema() && isJsonObject(value)) return structProblem(value, schema, place);
  const isScalar =
    (schema.isStringSchema() && typeof value === 'string') ||
    (schema.isNumericSchema() && typeof value === 'number') ||
    (schema.isBooleanSchema() && typeof value === 'boolean');
  return isScalar ? null : `${place}: Unexpected value type in payload`;
}

/** `[kind, namespace, name, traits, members, their schemas, how many of the first members are required]`. */
type StructSchema = [kind: number, string, string, unknown, members: string[], unknown[], required?: number];

function structProblem(
  value: Record<string, unknown>,
  schema: NormalizedSchema,
  place: string,
): string | null {
  const members = Object.fromEntries(schema.structIterator());
  const [kind, , , , names, , required = 0] = schema.getSchema() as unknown as StructSchema;
  const isUnion = kind === 4;
  if (isUnion && Object.keys(value).length !== 1) return `${place}: Union must have exactly one member set`;
  const missing = names.slice(0, required).find((name) => value[name] === undefined);
  if (missing !== undefined) return `${place}/${missing}: Member must not be null`;
  return firstOf(
    Object.entries(value).map(([name, item]) => {
      const member = members[name];
      if (member === undefined) return `${place}: extraneous key [${name}] is not permitted`;
      return problemOf(item, member, `${place}/${name}`);
    }),
  );
}

function firstOf(problems: (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}
