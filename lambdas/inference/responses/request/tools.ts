/**
 * Parses and validates the tools of a Responses request and the choice between them.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools
 */
import { type AllowedTool, allowTools } from '#lambdas/inference/completion/allowed-tools.ts';
import {
  assertToolForChoice,
  type FunctionTool,
  type Tool,
  type ToolChoice,
  type ToolName,
  type ToolUse,
  toolNamesOf,
} from '#lambdas/inference/completion/tools.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import {
  isAbsent,
  readObject,
  readOptionalBoolean,
  readOptionalList,
  readOptionalText,
  readText,
} from '#lambdas/platform/json/fields.ts';
import { isJsonObject, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { readCustomTool } from './custom-tools.ts';

export function readToolUse(body: JsonObject): ToolUse {
  const tools = listTools(body).map(readTool);
  const { tool_choice: choice } = body;
  const isAllowList = isJsonObject(choice) && choice.type === 'allowed_tools';
  const use = isAllowList
    ? allowTools(tools, choice, { param: 'tool_choice', readEntry: readAllowedTool })
    : { tools, choice: readChoice(choice, tools) };
  assertToolForChoice(use, 'tool_choice');
  return { ...use, toolNames: toolNamesOf(tools) };
}

interface PlacedTool {
  tool: JsonObject;
  /** Its path in the request. */
  param: string;
  /** The group that contains it. */
  namespace: string | null;
}

/** The items that offer more tools: Codex's, and the results of a search for tools that the caller has run. */
const toolItems: readonly unknown[] = ['additional_tools', 'tool_search_output'];

export function isToolItem({ type }: JsonObject): boolean {
  return toolItems.includes(type);
}

/** Lists the tools, also those of groups. A definition replaces an earlier one of the same type and name. */
function listTools(body: JsonObject): PlacedTool[] {
  const input = Array.isArray(body.input) ? body.input : [];
  const placed = [
    ...toolsIn(body.tools, 'tools', null),
    ...input.flatMap((item, index) =>
      isJsonObject(item) && isToolItem(item) ? toolsIn(item.tools, `input[${index}].tools`, null) : [],
    ),
  ];
  return [...new Map(placed.map((each) => [keyOf(each), each])).values()];
}

function toolsIn(list: unknown, listParam: string, namespace: string | null): PlacedTool[] {
  return readOptionalList(list, listParam).flatMap((value, index) => {
    const param = `${listParam}[${index}]`;
    const tool = readObject(value, param);
    if (tool.type !== 'namespace') return [{ tool, param, namespace }];
    return toolsIn(tool.tools, `${param}.tools`, readText(tool.name, `${param}.name`));
  });
}

/** Tools of a provider have no name, and may be given more than once. */
function keyOf({ tool: { type, name }, param, namespace }: PlacedTool): string {
  return typeof name === 'string' ? JSON.stringify([namespace, type, name]) : param;
}

function readTool({ tool, param, namespace }: PlacedTool): Tool {
  switch (tool.type) {
    case 'function':
      return readFunction(tool, param, namespace);
    case 'custom':
      return readCustomTool(tool, param, namespace);
    default:
      readText(tool.type, `${param}.type`);
      return { type: 'hosted', definition: tool, api: 'responses', param };
  }
}

function readFunction(tool: JsonObject, param: string, namespace: string | null): FunctionTool {
  const { name, description, parameters, strict } = tool;
  return {
    type: 'function',
    name: readText(name, `${param}.name`),
    namespace,
    description: readOptionalText(description, `${param}.description`),
    parameters: isAbsent(parameters) ? null : readObject(parameters, `${param}.parameters`),
    strict: readOptionalBoolean(strict, `${param}.strict`),
    cacheControl: null,
    param,
  };
}

function readChoice(choice: unknown, tools: readonly Tool[]): ToolChoice | null {
  if (isAbsent(choice)) return null;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  if (!isJsonObject(choice)) {
    throw invalidRequestError('tool_choice', 'tool_choice must be none, auto, required, or name a tool');
  }
  const { type } = choice;
  if (type !== 'function' && type !== 'custom') {
    const name = readText(type, 'tool_choice.type');
    return { mode: 'function', name, namespace: null };
  }
  const name = readText(choice.name, 'tool_choice.name');
  const namespace = readOptionalText(choice.namespace, 'tool_choice.namespace');
  // A name is enough if only one group has a tool with it.
  const named = tools.filter((tool): tool is FunctionTool => tool.type === 'function' && tool.name === name);
  const [only, ...others] = named;
  const isClear = namespace === null && only !== undefined && others.length === 0;
  return { mode: 'function', name, namespace: isClear ? only.namespace : namespace };
}

/** Custom tools have been converted to functions. */
function readAllowedTool(entry: unknown): AllowedTool {
  if (!isJsonObject(entry) || isAbsent(entry.type)) return { type: null, name: null };
  const { type, name = null } = entry;
  if (type !== 'function' && type !== 'custom') return { type, name: null };
  return name === null ? { type: null, name } : { type: 'function', name };
}

/** The names of the custom tools of a request, by which their calls are recognized. */
export function customToolNames(body: JsonObject): ToolName[] {
  return listTools(body).flatMap(({ tool: { type, name }, namespace }) =>
    type === 'custom' ? [{ name: stringOrEmpty(name), namespace }] : [],
  );
}
