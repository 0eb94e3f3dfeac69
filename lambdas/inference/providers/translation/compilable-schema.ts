/**
 * Translates JSON Schemas for structured outputs and strict tools to the subset that Claude and Bedrock compile.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
 */
import type { ParameterNames } from '#lambdas/inference/completion/request.ts';
import { isExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

interface CompilableSchema {
  schema: JsonObject;
  /** The reported names of the caller's keywords that are not enforced. */
  ignored: string[];
}

/** The schema of a completion. */
export function responseSchema(
  schema: JsonObject,
  { responseSchema: name }: ParameterNames,
): CompilableSchema {
  return compilableSchema(schema, name);
}

/** Adds the `type` that some callers omit. A strict tool without parameters accepts no properties. */
export function argumentsSchema(
  { parameters, isStrict }: { parameters: JsonObject | null; isStrict: boolean },
  { toolParameters: name }: ParameterNames,
): CompilableSchema {
  if (!isStrict) return { schema: { type: 'object', ...parameters }, ignored: [] };
  return compilableSchema({ type: 'object', ...(parameters ?? { properties: {} }) }, name);
}

/**
 * Removes annotations, closes objects, and moves bounds into the description, as Anthropic's SDKs do
 * (https://github.com/anthropics/anthropic-sdk-typescript/blob/main/src/lib/transform-json-schema.ts). Keeps other
 * keywords, since the completion could violate the schema without them.
 */
function compilableSchema(schema: JsonObject, param: string): CompilableSchema {
  const ignored = new Set<string>();
  const compiled = compile(schema, ignored);
  return { schema: compiled, ignored: [...ignored].map((keyword) => `${param}.${keyword}`) };
}

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

/** Keywords whose values map arbitrary names, which may coincide with a keyword, to schemas. */
const schemaMapKeywords = ['$defs', 'definitions', 'patternProperties', 'properties'];
const valueKeywords = ['const', 'default', 'enum', 'required'];

function compile(schema: JsonObject, ignored: Set<string>): JsonObject {
  const compiled: [string, unknown][] = [];
  const bounds: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (annotations.includes(keyword)) continue;
    if (isUnsupportedBound(keyword, value)) {
      bounds.push(`${keyword}: ${JSON.stringify(value)}`);
      ignored.add(keyword);
    } else compiled.push([keyword, compileValue(keyword, value, ignored)]);
  }
  if (isObjectSchema(schema)) {
    const { additionalProperties = false } = schema;
    if (additionalProperties !== false) ignored.add('additionalProperties');
    compiled.push(['additionalProperties', false]);
  }
  if (bounds.length > 0) compiled.push(['description', withBounds(schema.description, bounds)]);
  return Object.fromEntries(compiled);
}

function compileValue(keyword: string, value: unknown, ignored: Set<string>): unknown {
  if (valueKeywords.includes(keyword)) return value;
  if (!schemaMapKeywords.includes(keyword) || !isExactJsonObject(value)) return subschema(value, ignored);
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => [name, subschema(schema, ignored)]),
  );
}

function subschema(value: unknown, ignored: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => subschema(item, ignored));
  return isExactJsonObject(value) ? compile(value, ignored) : value;
}

function isObjectSchema({ type, properties, additionalProperties }: JsonObject): boolean {
  const isTyped = Array.isArray(type) ? type.includes('object') : type === 'object';
  return isTyped || properties !== undefined || additionalProperties !== undefined;
}

function withBounds(description: unknown, bounds: readonly string[]): string {
  const text = `{${bounds.join(', ')}}`;
  return typeof description === 'string' && description !== '' ? `${description}\n\n${text}` : text;
}

const unsupportedBounds = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
];
const supportedFormats = [
  ...['date', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'time', 'uri', 'uuid'],
];
/** Lookaround, word boundaries and backreferences. */
const unsupportedPattern = /\(\?<?[=!]|\\[bB1-9]|\\k</;

function isUnsupportedBound(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case 'minItems':
      return !['0', '1'].includes(JSON.stringify(value));
    case 'format':
      return !supportedFormats.some((format) => format === value);
    case 'pattern':
      return typeof value === 'string' && unsupportedPattern.test(value);
    default:
      return unsupportedBounds.includes(keyword);
  }
}
