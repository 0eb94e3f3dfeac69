/** JSON Schema for the Gemini API, which takes it as it is but for two keywords. */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

const schemaKeywords = ['items', 'additionalProperties', 'not'];
const schemaListKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const schemaMapKeywords = ['properties', 'patternProperties', '$defs'];

/**
 * The API passes over a `const`, so that anything would be allowed; an `enum` of one says the same. What older drafts,
 * and with them OpenAI's SDKs, call `definitions`, it knows as `$defs`.
 * https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support
 */
export function googleSchema(schema: JsonObject): JsonObject {
  const { definitions, $defs, ...rest } = schema;
  if (!isJsonObject(definitions)) return translated(schema);
  return translated({ ...rest, $defs: { ...definitions, ...(isJsonObject($defs) && $defs) } });
}

function translated(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'const' && isEnumerable(value)) return ['enum', [value]];
    if (keyword === '$ref' && typeof value === 'string') return [keyword, newerReference(value)];
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

function newerReference(reference: string): string {
  return reference.replace(/^#\/definitions\//, '#/$defs/');
}

function inner(value: unknown): unknown {
  return isJsonObject(value) ? translated(value) : value;
}
