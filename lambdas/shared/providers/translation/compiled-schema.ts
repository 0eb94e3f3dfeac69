/**
 * JSON Schemas that Anthropic compiles into a grammar: for structured outputs and strict tools.
 *
 * What it cannot compile it refuses, also what only describes; that is left out here. Whatever means something stays:
 * the answer would not keep to it without.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

/** https://json-schema.org/draft/2020-12/json-schema-validation#section-9 and the core's `$comment`, `$id` */
const annotations = [
  '$comment',
  '$id',
  '$schema',
  'deprecated',
  'example',
  'examples',
  'readOnly',
  'writeOnly',
];

/** Whose keys are names, of which one may be that of an annotation. */
const mapsOfSchemas = ['$defs', 'definitions', 'patternProperties', 'properties'];
const values = ['const', 'default', 'enum', 'required'];

/**
 * Of the arguments of a tool, which are always an object, though not all callers say so. Of one that is strict nothing
 * else may be open either.
 */
export function argumentsSchema({
  parameters,
  isStrict,
}: {
  parameters: JsonObject | null;
  isStrict: boolean;
}): JsonObject {
  if (!isStrict) return { type: 'object', ...parameters };
  const closed = parameters ?? { properties: {}, additionalProperties: false };
  return { type: 'object', ...compiledSchema(closed) };
}

export function compiledSchema(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => !annotations.includes(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (values.includes(keyword)) return [keyword, value];
      return [keyword, mapsOfSchemas.includes(keyword) ? eachOf(value) : subschema(value)];
    }),
  );
}

function subschema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(subschema);
  return isJsonObject(value) ? compiledSchema(value) : value;
}

function eachOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, subschema(schema)]));
}
