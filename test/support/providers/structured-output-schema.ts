/**
 * Validates JSON Schemas as Claude does for structured output and strict tools.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';

const annotations = ['title', 'description', 'default', 'enum', 'const', '$defs', 'definitions', '$schema'];
const keywords: Record<string, readonly string[]> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems'],
  string: ['format', 'pattern'],
  integer: [],
  number: [],
  boolean: [],
  null: [],
};

export function structuredOutputError(schema: unknown): string | null {
  if (!isJsonObject(schema)) return 'Input should be a valid dictionary';
  const error = keywordError(schema);
  if (error !== null) return error;
  const { $defs, definitions, properties, anyOf = [], items } = schema;
  const maps = [$defs, definitions, properties].filter(isJsonObject).flatMap(Object.values);
  const nested = [...maps, ...(Array.isArray(anyOf) ? anyOf : []), ...(items === undefined ? [] : [items])];
  return nested.map(structuredOutputError).find((nestedError) => nestedError !== null) ?? null;
}

function keywordError(schema: JsonObject): string | null {
  const { type, minItems = 0, additionalProperties } = schema;
  const names = Object.keys(schema).filter((name) => name !== 'type' && !annotations.includes(name));
  if (schema.anyOf !== undefined) {
    const siblings = Object.keys(schema).filter((name) => name !== 'anyOf' && !annotations.includes(name));
    return siblings.length === 0 ? null : `For 'anyOf', '${siblings.join(', ')}' is not supported`;
  }
  if (type === undefined) {
    const isConstrained = ['$ref', 'enum', 'const'].some((name) => name in schema);
    return isConstrained ? null : 'Empty schema ({}) that accepts any JSON value is not supported';
  }
  const types = [type].flat().map(String);
  const allowed = types.flatMap((name) => keywords[name] ?? []);
  const unsupported = names.find((name) => !allowed.includes(name));
  if (unsupported !== undefined) return `For '${type}' type, property '${unsupported}' is not supported`;
  if (types.includes('object') && additionalProperties !== false) {
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  }
  return Number(minItems) > 1
    ? "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    : null;
}
