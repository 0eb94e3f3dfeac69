/**
 * Parses and validates `tools` and `tool_choice` of a request in OpenAI's format.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools
 */

import { type AllowedTool, allowTools } from '#lambdas/inference/completion/allowed-tools.ts';
import { readCacheControl } from '#lambdas/inference/completion/content.ts';
import {
  assertToolForChoice,
  type CustomTool,
  type FunctionTool,
  type Tool,
  type ToolChoice,
  type ToolUse,
  toolNamesOf,
} from '#lambdas/inference/completion/tools.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { isExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import {
  isAbsent,
  readObject,
  readOptionalBoolean,
  readOptionalList,
  readOptionalText,
  readText,
} from '#lambdas/platform/json/fields.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';

export function readToolUse(body: JsonObject): ToolUse {
  const tools = readOptionalList(body.tools, 'tools').map((tool, index) => readTool(tool, `tools[${index}]`));
  const choice = body.tool_choice;
  const isAllowList = isJsonObject(choice) && choice.type === 'allowed_tools';
  const use = isAllowList
    ? allowTools(tools, choice.allowed_tools, {
        param: 'tool_choice.allowed_tools',
        readEntry: readAllowedTool,
      })
    : { tools, choice: readChoice(choice) };
  assertToolForChoice(use, 'tool_choice');
  return { ...use, toolNames: toolNamesOf(tools) };
}

function readTool(tool: unknown, param: string): Tool {
  if (!isExactJsonObject(tool)) throw invalidRequestError(param, `${param} must be an object with a type`);
  // Anthropic's built-in tools may have this type too, but not this field.
  if (tool.type === 'custom' && !isAbsent(tool.custom)) return readCustomTool(tool.custom, param);
  if (isAbsent(tool.type) && !isAbsent(tool.function)) {
    throw invalidRequestError(`${param}.type`, `${param}.type must be function`);
  }
  if (tool.type !== 'function') return { type: 'hosted', definition: tool, api: null, param };
  return readFunction(tool, param);
}

function readFunction(tool: JsonObject, param: string): FunctionTool {
  const functionParam = `${param}.function`;
  const { name, description, parameters, strict, ...others } = readObject(tool.function, functionParam);
  return {
    type: 'function',
    name: readText(name, `${functionParam}.name`),
    namespace: null,
    description: readOptionalText(description, `${functionParam}.description`),
    parameters: isAbsent(parameters) ? null : readObject(parameters, `${functionParam}.parameters`),
    strict: readOptionalBoolean(strict, `${functionParam}.strict`),
    cacheControl: readCacheControl(tool, param) ?? readCacheControl(others, functionParam),
    param,
  };
}

function readCustomTool(definition: unknown, param: string): CustomTool {
  const { name, description, format } = readObject(definition, `${param}.custom`);
  return {
    type: 'custom',
    name: readText(name, `${param}.custom.name`),
    namespace: null,
    description: readOptionalText(description, `${param}.custom.description`),
    format: isAbsent(format) ? null : readObject(format, `${param}.custom.format`),
    param,
  };
}

function readChoice(choice: unknown): ToolChoice | null {
  if (choice === undefined || choice === null) return null;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  const type = isJsonObject(choice) && choice.type === 'custom' ? 'custom' : 'function';
  if (isJsonObject(choice) && choice.type === type && isJsonObject(choice[type])) {
    const name = readText(choice[type].name, `tool_choice.${type}.name`);
    return { mode: 'function', name, namespace: null };
  }
  throw invalidRequestError('tool_choice', 'tool_choice must be none, auto, required, or name a tool');
}

/** An entry in another form names no tool. */
function readAllowedTool(entry: unknown): AllowedTool {
  if (!isJsonObject(entry) || isAbsent(entry.type)) return { type: null, name: null };
  const reference = entry.type === 'function' ? entry.function : entry.custom;
  const name = isJsonObject(reference) && !isAbsent(reference.name) ? reference.name : null;
  return entry.type === 'function' && name === null ? { type: null, name } : { type: entry.type, name };
}
