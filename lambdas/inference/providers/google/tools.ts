/** Functions and the choice among them: https://ai.google.dev/api/caching#Tool */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { FunctionTool, ToolChoice, ToolUse } from '../translation/tools.ts';
/** `tools` and `toolConfig`, as far as there is something to say. */
export function googleToolUse({ tools, choice }: ToolUse): JsonObject {
  const functions = tools.filter((tool) => tool.type === 'function');
  const written = [
    ...(functions.length === 0 ? [] : [{ functionDeclarations: functions.map(declaration) }]),
    ...tools.flatMap((tool) => (tool.type === 'provider' ? [tool.definition] : [])),
  ];
  const config = callingConfig(functions, choice);
  return {
    ...(written.length > 0 && { tools: written }),
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

/** Only `VALIDATED` and `ANY` hold the model to the schema, which `strict` asks for. */
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

// JSON Schema for the Gemini API, which takes it as it is but for two keywords.

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
