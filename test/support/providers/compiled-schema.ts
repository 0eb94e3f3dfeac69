/**
 * The JSON Schemas that Claude compiles for structured output and strict tools; it refuses all others.
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

/** The first problem, in the API's words. */
export function uncompilable(schema: unknown): string | null {
  if (!isJsonObject(schema)) return 'Input should be a valid dictionary';
  const problem = ownProblem(schema);
  if (problem !== null) return problem;
  const { $defs, definitions, properties, anyOf = [], items } = schema;
  const maps = [$defs, definitions, properties].filter(isJsonObject).flatMap(Object.values);
  const inner = [...maps, ...(Array.isArray(anyOf) ? anyOf : []), ...(items === undefined ? [] : [items])];
  return inner.map(uncompilable).find((it) => it !== null) ?? null;
}

function ownProblem(schema: JsonObject): string | null {
  const { type, minItems = 0, additionalProperties } = schema;
  const names = Object.keys(schema).filter((name) => name !== 'type' && !annotations.includes(name));
  if (schema.anyOf !== undefined) {
    const beside = Object.keys(schema).filter((name) => name !== 'anyOf' && !annotations.includes(name));
    return beside.length === 0 ? null : `For 'anyOf', '${beside.join(', ')}' is not supported`;
  }
  if (type === undefined) {
    const says = ['$ref', 'enum', 'const'].some((name) => name in schema);
    return says ? null : 'Empty schema ({}) that accepts any JSON value is not supported';
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
