/**
 * Renders the input of a request in the format of the Responses API, as far as its counter of tokens takes it.
 * https://platform.openai.com/docs/api-reference/responses/input-tokens
 */
import type { ContentPart, MediaPart } from '#lambdas/inference/completion/content.ts';
import type {
  AssistantPart,
  ToolResult,
  Turn,
  UserTurn,
} from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest, ResponseFormat } from '#lambdas/inference/completion/request.ts';
import type { Tool, ToolChoice } from '#lambdas/inference/completion/tools.ts';
import { withoutForeignHostedTools } from '#lambdas/inference/providers/translation/foreign-tools.ts';
import { ignoredSettings } from '#lambdas/inference/providers/translation/parameters.ts';
import { withUniqueCallIds } from '#lambdas/inference/providers/translation/tool-call-ids.ts';
import { withProviderToolNames } from '#lambdas/inference/providers/translation/tool-names.ts';
import { unsupportedParameterError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { nameOf, urlOf } from './content-parts.ts';
import { acceptedId } from './messages.ts';
import { toolNameRule } from './tools.ts';

/** Throws a `GatewayError` (400) that names a parameter without which the input would be another. */
export function renderResponsesInput(
  completion: CompletionRequest,
  { provider, model }: { provider: string; model: string },
): JsonObject {
  ignoredSettings(completion.settings, { provider, isSupported: ({ key }) => key !== null });
  const { request: offered } = withoutForeignHostedTools(completion, 'openai');
  const request = withProviderToolNames(offered, toolNameRule);
  const { system, turns, tools, choice, parallelToolCalls, reasoningEffort, responseFormat } = request;
  const format = renderFormat(responseFormat);
  return {
    model,
    ...(system.length > 0 && { instructions: system.map(({ text }) => text).join('\n\n') }),
    input: withUniqueCallIds(turns, acceptedId).flatMap(renderTurn),
    ...(tools.length > 0 && {
      tools: tools.map(renderTool),
      ...(choice !== null && { tool_choice: renderChoice(choice) }),
      ...(parallelToolCalls !== null && { parallel_tool_calls: parallelToolCalls }),
    }),
    ...(reasoningEffort !== null && { reasoning: { effort: reasoningEffort } }),
    ...(format !== null && { text: { format } }),
  };
}

function renderTurn(turn: Turn): JsonObject[] {
  switch (turn.role) {
    case 'system':
      return [{ type: 'message', role: 'system', content: turn.parts.map(renderPart) }];
    case 'user':
      return renderUserTurn(turn);
    case 'assistant':
      return turn.messages.flatMap(({ parts }) => parts.flatMap(renderAssistantPart));
    default:
      return turn satisfies never;
  }
}

function renderUserTurn({ toolResults, parts }: UserTurn): JsonObject[] {
  const message = { type: 'message', role: 'user', content: parts.map(renderPart) };
  return [...toolResults.map(renderResult), ...(parts.length > 0 ? [message] : [])];
}

function renderResult({ toolCallId, parts }: ToolResult): JsonObject {
  const [first, ...others] = parts;
  const text = first?.type === 'text' && others.length === 0 ? first.text : null;
  const output = first === undefined ? '' : (text ?? parts.map(renderPart));
  return { type: 'function_call_output', call_id: toolCallId, output };
}

/** Leaves out reasoning, which the API takes back only in the encrypted form that it has made itself. */
function renderAssistantPart(part: AssistantPart): JsonObject[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: part.text }] }];
    case 'call': {
      const { id, name, arguments: input } = part;
      return [{ type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) }];
    }
    case 'custom_call':
      return [{ type: 'custom_tool_call', call_id: part.id, name: part.name, input: part.input }];
    case 'reasoning':
      return [];
    default:
      return part satisfies never;
  }
}

function renderPart(part: ContentPart): JsonObject {
  return part.type === 'text' ? { type: 'input_text', text: part.text } : renderMedia(part);
}

function renderMedia({ medium, source, filename, detail, param }: MediaPart): JsonObject {
  switch (medium) {
    case 'image':
      return { type: 'input_image', image_url: urlOf(source), detail: detail ?? 'auto' };
    case 'document':
      if (source.kind === 'url') return { type: 'input_file', file_url: source.url };
      // Text has the same tokens as a part of the message, which every model accepts.
      if (source.mediaType.startsWith('text/')) {
        return { type: 'input_text', text: Buffer.from(source.data, 'base64').toString('utf8') };
      }
      return { type: 'input_file', ...nameOf(source, filename), file_data: urlOf(source) };
    case 'audio':
    case 'video':
      throw unsupportedParameterError(
        param,
        `${param} is ${medium}, whose tokens this provider does not count`,
      );
    default:
      return medium satisfies never;
  }
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
        ...(format !== null && { format }),
      };
    }
    case 'hosted':
      return tool.definition;
    default:
      return tool satisfies never;
  }
}

function renderChoice(choice: ToolChoice): unknown {
  return choice.mode === 'function' ? { type: 'function', name: choice.name } : choice.mode;
}

function renderFormat(format: ResponseFormat): JsonObject | null {
  switch (format.type) {
    case 'text':
      return null;
    case 'json_object':
      return { type: format.type };
    case 'json_schema': {
      const { type, name, description, schema, strict } = format;
      return {
        type,
        name,
        ...(description !== null && { description }),
        schema,
        ...(strict !== null && { strict }),
      };
    }
    default:
      return format satisfies never;
  }
}
