/**
 * The JSON Schemas that structured outputs and strict tools compile; any other is refused.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { refuse } from './anthropic-errors.ts';

const commonKeys = [
  'type',
  'title',
  'description',
  'default',
  'enum',
  'const',
  '$defs',
  'definitions',
  '$schema',
];

const keysByType: Record<string, readonly string[]> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems'],
  string: ['format', 'pattern'],
  integer: [],
  number: [],
  boolean: [],
  null: [],
};

/** `path` is where the schema stands in the request. */
export function checkCompiledSchema(path: string, schema: unknown): void {
  if (!isJsonObject(schema)) refuse(`${path}: Input should be a valid dictionary`);
  if ('oneOf' in schema) refuse(`${path}: Schema type 'oneOf' is not supported`);
  if ('not' in schema) refuse(`${path}: Schema keyword 'not' is not supported`);
  for (const definition of [...valuesOf(schema.$defs), ...valuesOf(schema.definitions)]) {
    checkCompiledSchema(path, definition);
  }
  if (Array.isArray(schema.anyOf)) checkUnion(path, schema, schema.anyOf);
  else if (schema.type !== undefined) {
    for (const type of [schema.type].flat()) checkOneType(path, String(type), schema);
  } else if (!['$ref', 'enum', 'const'].some((key) => key in schema)) {
    refuse(`${path}: Empty schema ({}) that accepts any JSON value is not supported`);
  }
}

function checkUnion(path: string, schema: JsonObject, members: unknown[]): void {
  const beside = Object.keys(schema).filter((key) => key !== 'anyOf' && !isAnnotation(key));
  if (beside.length > 0) refuse(`${path}: For 'anyOf', '${beside.sort().join(', ')}' is not supported`);
  for (const member of members) checkCompiledSchema(path, member);
}

function isAnnotation(key: string): boolean {
  return key !== 'type' && commonKeys.includes(key);
}

function checkOneType(path: string, type: string, schema: JsonObject): void {
  const allowed = keysByType[type];
  if (allowed === undefined) refuse(`${path}: Schema type '${type}' is not supported`);
  const unsupported = Object.keys(schema).find((key) => !commonKeys.includes(key) && !allowed.includes(key));
  // A list of types has the keywords of all of them.
  if (unsupported !== undefined && !Array.isArray(schema.type)) {
    refuse(`${path}: For '${type}' type, property '${unsupported}' is not supported`);
  }
  if (type === 'object') {
    if (schema.additionalProperties !== false) {
      refuse(`${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
    }
    for (const property of valuesOf(schema.properties)) checkCompiledSchema(path, property);
  }
  if (type === 'array') {
    if (typeof schema.minItems === 'number' && schema.minItems > 1) {
      refuse(`${path}: For 'array' type, 'minItems' values other than 0 or 1 are not supported`);
    }
    checkCompiledSchema(path, schema.items);
  }
}

function valuesOf(value: unknown): unknown[] {
  return isJsonObject(value) ? Object.values(value) : [];
}
