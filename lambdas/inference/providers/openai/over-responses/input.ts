/**
 * Renders a conversation as the items of a request. https://platform.openai.com/docs/api-reference/responses/create
 */
import {
  type AssistantPart,
  type AssistantText,
  assistantMessages,
  callsIn,
  type ToolResult,
  type Turn,
  type UserTurn,
} from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { withUniqueCallIds } from '#lambdas/inference/providers/translation/tool-call-ids.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { acceptedId, withFailure } from '../conversion/messages.ts';
import { renderOutput, renderParts, textPart } from './content.ts';
import { phaseOf, reasoningItem } from './payloads.ts';

interface RenderedInput {
  /** The fields of the request. */
  fields: { instructions?: string; input: JsonObject[] };
  /** True if reasoning of earlier messages was left out. */
  losesReasoning: boolean;
}

interface InputOptions {
  /** OpenAI itself needs no ids of items, which other servers require, and knows the newer role of instructions. */
  isOpenAi: boolean;
}

/**
 * The instructions are a part of the input if there is no other, and for JSON without a schema, of which the API demands that the
 * input mentions it.
 */
export function renderInput(
  { system, turns, responseFormat }: CompletionRequest,
  options: InputOptions,
): RenderedInput {
  const unique = withUniqueCallIds(turns, acceptedId);
  const customIds = new Set(
    callsIn(assistantMessages(unique)).flatMap(({ type, id }) => (type === 'custom_call' ? [id] : [])),
  );
  const items = unique.flatMap((turn) => renderTurn(turn, { ...options, customIds }));
  const input = withoutLastReasoning(items);
  const reasoning = assistantMessages(turns).flatMap(({ parts }) => parts.filter(hasReasoning));
  const losesReasoning = input.filter(isReasoning).length < reasoning.length;
  if (system.length === 0) return { fields: { input }, losesReasoning };
  const isInput = input.length === 0 || responseFormat.type === 'json_object';
  const instructions = system.map(({ text }) => text).join('\n\n');
  const fields = isInput
    ? { input: [instructionMessage(system, options), ...input] }
    : { instructions, input };
  return { fields, losesReasoning };
}

interface TurnContext extends InputOptions {
  /** The ids of the calls of custom tools, whose results are items of another type. */
  customIds: ReadonlySet<string>;
}

function renderTurn(turn: Turn, context: TurnContext): JsonObject[] {
  switch (turn.role) {
    case 'system':
      return [instructionMessage(turn.parts, context)];
    case 'user':
      return renderUserTurn(turn, context);
    case 'assistant':
      return turn.messages.flatMap(({ parts }) =>
        parts.flatMap((part) => renderAssistantPart(part, context)),
      );
    default:
      return turn satisfies never;
  }
}

function instructionMessage(parts: readonly { text: string }[], { isOpenAi }: InputOptions): JsonObject {
  const role = isOpenAi ? 'developer' : 'system';
  return { type: 'message', role, content: parts.map(({ text }) => textPart(text)) };
}

function renderUserTurn({ toolResults, parts }: UserTurn, { customIds }: TurnContext): JsonObject[] {
  const message = { type: 'message', role: 'user', content: parts.length === 0 ? '' : renderParts(parts) };
  const isResultOnly = parts.length === 0 && toolResults.length > 0;
  return [
    ...toolResults.map((result) => renderResult(result, customIds)),
    ...(isResultOnly ? [] : [message]),
  ];
}

function renderResult(
  { toolCallId, parts, isError }: ToolResult,
  customIds: ReadonlySet<string>,
): JsonObject {
  const output = renderOutput(parts);
  return {
    type: customIds.has(toolCallId) ? 'custom_tool_call_output' : 'function_call_output',
    call_id: toolCallId,
    output: isError ? withFailure(output, textPart) : output,
  };
}

function renderAssistantPart(part: AssistantPart, { isOpenAi }: TurnContext): JsonObject[] {
  switch (part.type) {
    case 'text':
      return [renderText(part)];
    case 'call': {
      const { id, name, arguments: input } = part;
      return [{ type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) }];
    }
    case 'custom_call':
      return [{ type: 'custom_tool_call', call_id: part.id, name: part.name, input: part.input }];
    case 'reasoning': {
      const item = reasoningItem(part, { withId: !isOpenAi });
      return item === null ? [] : [item];
    }
    default:
      return part satisfies never;
  }
}

function renderText({ text, payload }: AssistantText): JsonObject {
  const phase = phaseOf(payload);
  return {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
    ...(phase !== null && { phase }),
  };
}

/** The API refuses reasoning without what the model has made of it. */
function withoutLastReasoning(items: readonly JsonObject[]): JsonObject[] {
  let isFollowed = false;
  return items
    .toReversed()
    .filter((item) => {
      if (isReasoning(item)) return isFollowed;
      isFollowed = isOfModel(item);
      return true;
    })
    .reverse();
}

/** False for a part that only carried the data of another one. */
function hasReasoning(part: AssistantPart): boolean {
  return part.type === 'reasoning' && (part.text !== '' || part.payload !== null);
}

function isReasoning({ type }: JsonObject): boolean {
  return type === 'reasoning';
}

function isOfModel({ type, role }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call' || role === 'assistant';
}
