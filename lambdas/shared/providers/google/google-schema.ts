/** JSON Schema for the Gemini API, which takes it as it is but for one keyword. */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

const schemaKeywords = ['items', 'additionalProperties', 'not'];
const schemaListKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const schemaMapKeywords = ['properties', 'patternProperties', '$defs', 'definitions'];

/**
 * `const` is passed over by the API, so that anything would be allowed; an `enum` of one says the same.
 * https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support
 */
export function googleSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'const' && isEnumerable(value)) return ['enum', [value]];
    if (schemaKeywords.includes(keyword)) return [keyword, inner(value)];
    if (schemaListKeywords.includes(keyword) && Array.isArray(value)) return [keyword, value.map(inner)];
    if (!schemaMapKeywords.includes(keyword) || !isJsonObject(value)) return [keyword, value];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inner(item)]))];
  });
  return Object.fromEntries(entries);
}

/** Enums are of texts and numbers. */
function isEnumerable(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function inner(value: unknown): unknown {
  return isJsonObject(value) ? googleSchema(value) : value;
}
