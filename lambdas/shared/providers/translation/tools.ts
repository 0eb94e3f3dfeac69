/**
 * Tools and the choice among them, in OpenAI's format.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools
 */
import { invalidRequest } from '../../domain/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { readCacheControl } from './content-parts.ts';
import { readOptionalBoolean, readOptionalList, readOptionalText, readText } from './request-fields.ts';

export interface FunctionTool {
  type: 'function';
  name: string;
  description: string | null;
  /** JSON Schema; `null` for a function without arguments. */
  parameters: JsonObject | null;
  strict: boolean | null;
  cacheControl: JsonObject | null;
  param: string;
}

/** A tool that the provider has itself, written as the provider wants it. */
export interface ProviderTool {
  type: 'provider';
  definition: JsonObject;
  param: string;
}

export type Tool = FunctionTool | ProviderTool;

export type ToolChoice = { mode: 'auto' | 'none' | 'required' } | { mode: 'function'; name: string };

export interface ToolUse {
  tools: Tool[];
  /** `null` when the caller said nothing. */
  choice: ToolChoice | null;
}

export function readToolUse(body: JsonObject): ToolUse {
  const tools = readOptionalList(body.tools, 'tools').map((tool, index) => readTool(tool, `tools[${index}]`));
  const choice = body.tool_choice;
  if (isJsonObject(choice) && choice.type === 'allowed_tools')
    return allowedTools(tools, choice.allowed_tools);
  return { tools, choice: readChoice(choice) };
}

function readTool(tool: unknown, param: string): Tool {
  if (!isJsonObject(tool)) throw invalidRequest(param, `${param} must be an object with a type`);
  if (tool.type === 'custom') {
    throw invalidRequest(
      `${param}.type`,
      `${param}.type must be function: this provider has no custom tools`,
    );
  }
  if (tool.type !== 'function') return { type: 'provider', definition: tool, param };
  const description = tool.function;
  if (!isJsonObject(description))
    throw invalidRequest(`${param}.function`, `${param}.function must be an object`);
  const { parameters } = description;
  if (parameters !== undefined && parameters !== null && !isJsonObject(parameters)) {
    throw invalidRequest(
      `${param}.function.parameters`,
      `${param}.function.parameters must be a JSON Schema`,
    );
  }
  return {
    type: 'function',
    name: readText(description.name, `${param}.function.name`),
    description: readOptionalText(description.description, `${param}.function.description`),
    parameters: parameters ?? null,
    strict: readOptionalBoolean(description.strict, `${param}.function.strict`),
    cacheControl: readCacheControl(tool) ?? readCacheControl(description),
    param,
  };
}

function readChoice(choice: unknown): ToolChoice | null {
  if (choice === undefined || choice === null) return null;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  if (isJsonObject(choice) && choice.type === 'function' && isJsonObject(choice.function)) {
    return { mode: 'function', name: readText(choice.function.name, 'tool_choice.function.name') };
  }
  throw invalidRequest('tool_choice', 'tool_choice must be none, auto, required, or name a function');
}

/** To allow some tools is to offer no others. */
function allowedTools(tools: Tool[], allowed: unknown): ToolUse {
  const param = 'tool_choice.allowed_tools';
  if (!isJsonObject(allowed) || (allowed.mode !== 'auto' && allowed.mode !== 'required')) {
    throw invalidRequest(param, `${param} must have a mode, auto or required, and tools`);
  }
  const names = readOptionalList(allowed.tools, `${param}.tools`).map((tool) =>
    isJsonObject(tool) && isJsonObject(tool.function) ? tool.function.name : undefined,
  );
  return {
    tools: tools.filter((tool) => tool.type === 'function' && names.includes(tool.name)),
    choice: { mode: allowed.mode },
  };
}
