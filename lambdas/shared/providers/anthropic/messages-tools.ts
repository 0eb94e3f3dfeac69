/** Tools in OpenAI's format, as Anthropic's. https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview */
import type { JsonObject } from '../../domain/json.ts';
import { argumentsSchema } from '../translation/compiled-schema.ts';
import type { CompletionRequest } from '../translation/completion-request.ts';
import { calledToolNames } from '../translation/conversation.ts';
import type { FunctionTool, Tool, ToolChoice } from '../translation/tools.ts';
import { cacheMark } from './messages-content.ts';

/** The fields `tools` and `tool_choice`. */
export function toolFields(request: CompletionRequest): JsonObject {
  const { tools, choice, parallelToolCalls } = request;
  if (tools.length === 0) return withoutTools(request);
  const written = choiceOf(choice ?? { mode: 'auto' });
  const oneAtATime = parallelToolCalls === false && written.type !== 'none';
  const said = choice !== null || oneAtATime;
  return {
    tools: tools.map(toolOf),
    ...(said && { tool_choice: { ...written, ...(oneAtATime && { disable_parallel_tool_use: true }) } }),
  };
}

/**
 * "Requests which include `tool_use` or `tool_result` blocks must define tools." So those that were called before are
 * defined, and not to be called.
 */
function withoutTools({ turns }: CompletionRequest): JsonObject {
  const names = calledToolNames(turns);
  if (names.length === 0) return {};
  return {
    tools: names.map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
}

function toolOf(tool: Tool): JsonObject {
  return tool.type === 'provider' ? tool.definition : functionTool(tool);
}

function functionTool({ name, description, parameters, strict, cacheControl }: FunctionTool): JsonObject {
  return {
    name,
    ...(description !== null && { description }),
    input_schema: argumentsSchema({ parameters, isStrict: strict === true }),
    ...(strict === true && { strict }),
    ...cacheMark(cacheControl),
  };
}

function choiceOf(choice: ToolChoice): JsonObject {
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
