/** Renders tools and their choice. https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { Tool, ToolChoice } from '#lambdas/inference/completion/tools.ts';
import { unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';

type Tools = Pick<CompletionRequest, 'tools' | 'choice' | 'parallelToolCalls' | 'settings'>;

export function renderToolUse({ tools, choice, parallelToolCalls, settings }: Tools): JsonObject {
  const all = [...tools.map(renderTool), ...settings.flatMap(renderWebSearch)];
  if (all.length === 0) return {};
  return {
    tools: all,
    ...(choice !== null && { tool_choice: renderChoice(choice, tools) }),
    ...(parallelToolCalls !== null && { parallel_tool_calls: parallelToolCalls }),
  };
}

function renderTool(tool: Tool): JsonObject {
  switch (tool.type) {
    case 'function': {
      const { name, description, parameters, strict } = tool;
      const described = description === null ? {} : { description };
      // The API would take a missing value for true.
      return { type: 'function', name, ...described, parameters, strict: strict === true };
    }
    case 'custom': {
      const { name, description, format } = tool;
      return {
        type: 'custom',
        name,
        ...(description !== null && { description }),
        ...(format !== null && { format: flatFormat(format) }),
      };
    }
    case 'hosted':
      return tool.definition;
    default:
      return tool satisfies never;
  }
}

/** Chat has the grammar in an object of its own. */
function flatFormat({ grammar, ...format }: JsonObject): JsonObject {
  return isJsonObject(grammar)
    ? { ...format, ...grammar }
    : { ...format, ...(grammar !== undefined && { grammar }) };
}

function renderChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  if (choice.mode !== 'function') return choice.mode;
  const { name } = choice;
  const isCustom = tools.some((tool) => tool.type === 'custom' && tool.name === name);
  return { type: isCustom ? 'custom' : 'function', name };
}

/**
 * Chat's option for a search becomes the tool. Throws a `GatewayError` (400) for an option that the tool does not have.
 * https://platform.openai.com/docs/guides/tools-web-search
 */
function renderWebSearch({ key, name, value }: CompletionRequest['settings'][number]): JsonObject[] {
  if (key !== 'webSearchOptions' || !isJsonObject(value)) return [];
  const { search_context_size: size, user_location: location, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const param = `${name}.${unknown}`;
    throw unsupportedParameterError(param, `${param} is not supported in a search of this model`);
  }
  const { type, approximate } = objectOrEmpty(location);
  const place = { type: stringOrEmpty(type) || 'approximate', ...objectOrEmpty(approximate) };
  return [
    {
      type: 'web_search',
      ...(size != null && { search_context_size: size }),
      ...(isJsonObject(location) && { user_location: place }),
    },
  ];
}
