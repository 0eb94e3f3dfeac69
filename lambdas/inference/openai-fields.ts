/** Reads the fields that requests for chat completions and for responses share. */
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import {
  readObject,
  readOptionalBoolean,
  readOptionalText,
  readText,
} from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ToolCall } from './completion/conversation.ts';
import type { CompletionRequest, ResponseFormat } from './completion/request.ts';

export function readUser(body: JsonObject, param: string): CompletionRequest['user'] {
  const id = readOptionalText(body[param], param);
  return id === null ? null : { id, param };
}

/** `definition` has the name, the schema and their options; its path is `param`. */
export function readSchemaFormat(definition: JsonObject, param: string): ResponseFormat {
  const { name, description, schema, strict } = definition;
  return {
    type: 'json_schema',
    name: readText(name, `${param}.name`),
    description: readOptionalText(description, `${param}.description`),
    schema: readObject(schema, `${param}.schema`),
    strict: readOptionalBoolean(strict, `${param}.strict`),
  };
}

/** Models sometimes write invalid arguments, which would make every later request of the conversation fail. */
export function readArguments(
  value: unknown,
  param: string,
): Pick<ToolCall, 'arguments' | 'hasInvalidArguments'> {
  const text = readText(value ?? '', param);
  const parsed = parseExactJsonObject(text);
  return { arguments: parsed ?? {}, hasInvalidArguments: parsed === null && text.trim() !== '' };
}
