/** Translates tools to Anthropic's format. */
import { calledTools } from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest, ParameterNames } from '#lambdas/inference/completion/request.ts';
import type { FunctionTool, Tool, ToolChoice } from '#lambdas/inference/completion/tools.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { argumentsSchema } from '../translation/compilable-schema.ts';
import type { ToolNameRule } from '../translation/tool-names.ts';
import { cacheControlField } from './messages.ts';
import type { ParameterFields } from './parameters.ts';

/** "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'" https://github.com/home-assistant/core/issues/147760 */
export const toolNameRule: ToolNameRule = {
  character: /[a-zA-Z0-9_-]/,
  firstCharacter: /[a-zA-Z0-9_-]/,
  maxLength: 128,
};

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview */
export function toolFields(request: CompletionRequest): ParameterFields {
  const { tools, choice, parallelToolCalls } = request;
  if (tools.length === 0) return { fields: withoutTools(request), ignored: [] };
  const toolChoice = toToolChoice(choice ?? { mode: 'auto' });
  const isSequential = parallelToolCalls === false && toolChoice.type !== 'none';
  const isExplicit = choice !== null || isSequential;
  const translated = tools.flatMap((tool) => toTool(tool, request.names));
  const fields = {
    tools: translated.map(({ definition }) => definition),
    ...(isExplicit && {
      tool_choice: { ...toolChoice, ...(isSequential && { disable_parallel_tool_use: true }) },
    }),
  };
  return { fields, ignored: translated.flatMap(({ ignored }) => ignored) };
}

/**
 * Defines the tools that were called earlier and excludes new calls: "Requests which include `tool_use` or `tool_result`
 * blocks must define tools."
 */
function withoutTools({ turns }: CompletionRequest): JsonObject {
  const names = new Set(calledTools(turns).map(({ name }) => name));
  if (names.size === 0) return {};
  return {
    tools: [...names].map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
}

interface TranslatedTool {
  definition: JsonObject;
  ignored: string[];
}

function toTool(tool: Tool, names: ParameterNames): TranslatedTool[] {
  switch (tool.type) {
    case 'function':
      return [functionTool(tool, names)];
    case 'hosted':
      return [{ definition: tool.definition, ignored: [] }];
    // Refused before.
    case 'custom':
      return [];
    default:
      return tool satisfies never;
  }
}

function functionTool(
  { name, description, parameters, strict, cacheControl }: FunctionTool,
  names: ParameterNames,
): TranslatedTool {
  const { schema, ignored } = argumentsSchema({ parameters, isStrict: strict === true }, names);
  const definition = {
    name,
    ...(description !== null && { description }),
    input_schema: schema,
    ...(strict === true && { strict }),
    ...cacheControlField(cacheControl),
  };
  return { definition, ignored };
}

function toToolChoice(choice: ToolChoice): JsonObject {
  switch (choice.mode) {
    case 'auto':
    case 'none':
      return { type: choice.mode };
    case 'required':
      return { type: 'any' };
    case 'function':
      return { type: 'tool', name: choice.name };
    default:
      return choice satisfies never;
  }
}
