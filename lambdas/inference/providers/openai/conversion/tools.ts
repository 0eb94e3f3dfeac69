/** Renders tools and their choice. https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { Tool, ToolChoice } from '#lambdas/inference/completion/tools.ts';
import type { ToolNameRule } from '#lambdas/inference/providers/translation/tool-names.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

/** "Must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64." */
export const toolNameRule: ToolNameRule = {
  character: /[a-zA-Z0-9_-]/,
  firstCharacter: /[a-zA-Z0-9_-]/,
  maxLength: 64,
};

export function renderToolUse({ tools, choice }: CompletionRequest): JsonObject {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(renderTool),
    ...(choice !== null && { tool_choice: renderChoice(choice, tools) }),
  };
}

function renderTool(tool: Tool): JsonObject {
  switch (tool.type) {
    case 'function': {
      const { name, description, parameters, strict } = tool;
      const definition = {
        name,
        ...(description !== null && { description }),
        ...(parameters !== null && { parameters }),
        ...(strict !== null && { strict }),
      };
      return { type: 'function', function: definition };
    }
    case 'custom': {
      const { name, description, format } = tool;
      const definition = {
        name,
        ...(description !== null && { description }),
        ...(format !== null && { format }),
      };
      return { type: 'custom', custom: definition };
    }
    case 'hosted':
      return tool.definition;
    default:
      return tool satisfies never;
  }
}

function renderChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  if (choice.mode !== 'function') return choice.mode;
  const { name } = choice;
  const isCustom = tools.some((tool) => tool.type === 'custom' && tool.name === name);
  return isCustom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}
