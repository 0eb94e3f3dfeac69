/**
 * Parses and validates `tools` and `tool_choice` of a Messages request.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 */
import { readCacheControl } from '#lambdas/inference/completion/content.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import {
  assertToolForChoice,
  type FunctionTool,
  type Tool,
  type ToolChoice,
  type ToolUse,
  toolNamesOf,
} from '#lambdas/inference/completion/tools.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import {
  isAbsent,
  readObject,
  readOptionalBoolean,
  readOptionalText,
  readText,
} from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { isCustomTool } from '../prompt.ts';
import { isLimitedToOneCall } from './settings.ts';
import { currentTools } from './tool-changes.ts';

export function readToolUse(body: JsonObject): ToolUse & Pick<CompletionRequest, 'parallelToolCalls'> {
  const tools = currentTools(body).map(({ tool, param }) => readTool(readObject(tool, param), param));
  const toolChoice = isAbsent(body.tool_choice) ? {} : readObject(body.tool_choice, 'tool_choice');
  const use = { tools, choice: isAbsent(body.tool_choice) ? null : readChoice(toolChoice) };
  assertToolForChoice(use, 'tool_choice');
  const param = 'tool_choice.disable_parallel_tool_use';
  const isSequential = readOptionalBoolean(toolChoice.disable_parallel_tool_use, param);
  return {
    ...use,
    toolNames: toolNamesOf(tools),
    parallelToolCalls: isSequential === null || isLimitedToOneCall(body) ? null : !isSequential,
  };
}

function readTool(tool: JsonObject, param: string): Tool {
  return isCustomTool(tool)
    ? readFunction(tool, param)
    : { type: 'hosted', definition: tool, api: 'anthropic', param };
}

function readFunction(tool: JsonObject, param: string): FunctionTool {
  return {
    type: 'function',
    name: readText(tool.name, `${param}.name`),
    namespace: null,
    description: readOptionalText(tool.description, `${param}.description`),
    parameters: readObject(tool.input_schema, `${param}.input_schema`),
    strict: readOptionalBoolean(tool.strict, `${param}.strict`),
    cacheControl: readCacheControl(tool, param),
    param,
  };
}

function readChoice({ type, name }: JsonObject): ToolChoice {
  switch (type) {
    case 'auto':
    case 'none':
      return { mode: type };
    case 'any':
      return { mode: 'required' };
    case 'tool':
      return { mode: 'function', name: readText(name, 'tool_choice.name'), namespace: null };
    default:
      throw invalidRequestError('tool_choice.type', 'tool_choice.type must be auto, any, tool or none');
  }
}
