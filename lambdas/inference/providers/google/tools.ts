/** Translates tools, the tool choice and JSON Schemas: https://ai.google.dev/api/caching#Tool */
import type { FunctionTool, ToolChoice, ToolUse } from '#lambdas/inference/completion/tools.ts';
import { isExactJsonObject, isRawNumber } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ToolNameRule } from '../translation/tool-names.ts';

/**
 * "Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or
 * dashes (-), with a maximum length of 64." https://github.com/kaitranntt/ccs/issues/25; the documentation allows 128.
 */
export const toolNameRule: ToolNameRule = {
  character: /[a-zA-Z0-9_.:-]/,
  firstCharacter: /[a-zA-Z_]/,
  maxLength: 64,
};

export function googleToolUse({ tools, choice }: Pick<ToolUse, 'tools' | 'choice'>): JsonObject {
  const functions = tools.filter((tool) => tool.type === 'function');
  const translated = [
    ...(functions.length === 0 ? [] : [{ functionDeclarations: functions.map(declaration) }]),
    ...tools.flatMap((tool) => (tool.type === 'hosted' ? [tool.definition] : [])),
  ];
  const config = callingConfig(functions, choice);
  return {
    ...(translated.length > 0 && { tools: translated }),
    ...(config !== null && { toolConfig: { functionCallingConfig: config } }),
  };
}

function declaration({ name, description, parameters }: FunctionTool): JsonObject {
  return {
    name,
    ...(description !== null && { description }),
    ...(parameters !== null && { parametersJsonSchema: googleSchema(parameters) }),
  };
}

/** Only `VALIDATED` and `ANY` enforce the schema, which `strict` requires. */
function callingConfig(functions: readonly FunctionTool[], choice: ToolChoice | null): JsonObject | null {
  const strict = functions.some((tool) => tool.strict === true);
  switch (choice?.mode) {
    case undefined:
    case 'auto':
      return strict ? { mode: 'VALIDATED' } : null;
    case 'none':
      return functions.length === 0 ? null : { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'function':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    default:
      return choice satisfies never;
  }
}

/**
 * Replaces JSON Schema keywords that the API does not support with others of the same meaning: `const`, which it would
 * ignore, becomes an `enum` with one value, `definitions`, which older drafts and OpenAI's SDKs use, becomes `$defs`, and
 * a `$ref` beside other keywords becomes their only alternative.
 * https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support
 */
export function googleSchema(schema: JsonObject): JsonObject {
  const { definitions, $defs, ...rest } = schema;
  if (!isExactJsonObject(definitions)) return translateSchema(schema);
  return translateSchema({ ...rest, $defs: { ...definitions, ...(isExactJsonObject($defs) && $defs) } });
}

const schemaKeywords = ['items', 'additionalProperties', 'not'];
const schemaListKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const schemaMapKeywords = ['properties', 'patternProperties', '$defs'];

function translateSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'const' && isEnumerable(value)) return ['enum', [value]];
    if (keyword === '$ref' && typeof value === 'string') return [keyword, newReference(value)];
    if (schemaKeywords.includes(keyword)) return [keyword, translateValue(value)];
    if (schemaListKeywords.includes(keyword) && Array.isArray(value)) {
      return [keyword, value.map(translateValue)];
    }
    if (!schemaMapKeywords.includes(keyword) || !isExactJsonObject(value)) return [keyword, value];
    const schemas = Object.entries(value).map(([name, item]) => [name, translateValue(item)]);
    return [keyword, Object.fromEntries(schemas)];
  });
  return withoutReferenceSiblings(Object.fromEntries(entries));
}

/**
 * "schema at … can only contain properties starting with '$' when $ref is present"
 * https://github.com/google-gemini/gemini-cli/issues/4758
 */
function withoutReferenceSiblings(schema: JsonObject): JsonObject {
  const { $ref, ...siblings } = schema;
  const hasSiblings = Object.keys(siblings).some((keyword) => !keyword.startsWith('$'));
  if (typeof $ref !== 'string' || !hasSiblings) return schema;
  // With one alternative, these keywords mean the same.
  const unused = ['anyOf', 'oneOf'].find((keyword) => siblings[keyword] === undefined);
  if (unused !== undefined) return { ...siblings, [unused]: [{ $ref }] };
  const { allOf } = siblings;
  return { ...siblings, allOf: [...(Array.isArray(allOf) ? allOf : []), { $ref }] };
}

/** The API supports enums of strings and numbers. */
function isEnumerable(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || isRawNumber(value);
}

function newReference(reference: string): string {
  return reference.replace(/^#\/definitions\//, '#/$defs/');
}

function translateValue(value: unknown): unknown {
  return isExactJsonObject(value) ? translateSchema(value) : value;
}
