/** Renders a conversation as the messages of a chat completion request. */
import { createHash } from 'node:crypto';
import type { ContentPart } from '#lambdas/inference/completion/content.ts';
import {
  type AssistantMessage,
  type AssistantPart,
  assistantMessages,
  isCall,
  type ToolResult,
  type Turn,
  type UserTurn,
} from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { ReasoningField } from '#lambdas/inference/providers/settings.ts';
import { withUniqueCallIds } from '#lambdas/inference/providers/translation/tool-call-ids.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { fieldsOf } from '../required-fields.ts';
import { renderContent, withTextOfFile } from './content-parts.ts';

interface RenderedMessages {
  messages: JsonObject[];
  /** The caller's names of what was left out. */
  ignored: string[];
}

/** `reasoningField` is the provider's field for the reasoning of earlier messages; `null` if it has none. */
export function renderMessages(
  { system, turns, names }: CompletionRequest,
  reasoningField: ReasoningField | null,
): RenderedMessages {
  const messages = [
    ...(system.length === 0 ? [] : [{ role: 'system', content: renderContent(system) }]),
    ...withUniqueCallIds(turns, acceptedId).flatMap((turn) => renderTurn(turn, reasoningField)),
  ];
  const earlier = assistantMessages(turns);
  const losesReasoning = earlier.some(({ parts }) =>
    parts.some(
      (part) =>
        part.type === 'reasoning' &&
        part.payload?.format !== 'openai' &&
        (reasoningField === null || part.text === ''),
    ),
  );
  return {
    messages,
    ignored: [
      ...(losesReasoning ? [names.reasoning] : []),
      ...(earlier.some(hasTextAfterCall) ? [names.content] : []),
    ],
  };
}

function hasTextAfterCall({ parts }: AssistantMessage): boolean {
  const firstCall = parts.findIndex(isCall);
  return firstCall !== -1 && parts.slice(firstCall).some(({ type }) => type === 'text');
}

function renderTurn(turn: Turn, reasoningField: ReasoningField | null): JsonObject[] {
  switch (turn.role) {
    case 'system':
      return [{ role: 'system', content: renderContent(turn.parts) }];
    case 'user':
      return renderUserTurn(turn);
    case 'assistant':
      return turn.messages.map((message) => renderAssistant(message, reasoningField));
    default:
      return turn satisfies never;
  }
}

/** Results contain only text, so that their media precedes the text of the user. */
function renderUserTurn({ toolResults, parts }: UserTurn): JsonObject[] {
  const results = toolResults.map((result) => ({ ...result, parts: result.parts.map(withTextOfFile) }));
  const content = [
    ...results.flatMap((result) => result.parts.filter(isMedia)),
    ...parts.map(withTextOfFile),
  ];
  const isEmpty = content.length === 0 && results.length > 0;
  return [
    ...results.map(renderResult),
    ...(isEmpty ? [] : [{ role: 'user', content: renderContent(content) }]),
  ];
}

/** The format has no mark of a failure, which the model must know. */
const failure = 'The tool call failed:';

function renderResult({ toolCallId, parts, isError }: ToolResult): JsonObject {
  const content = renderContent(parts.filter((part) => !isMedia(part)));
  return {
    role: 'tool',
    tool_call_id: toolCallId,
    content: isError ? withFailure(content, (text) => ({ type: 'text', text })) : content,
  };
}

export function withFailure(
  content: string | JsonObject[],
  toPart: (text: string) => JsonObject,
): string | JsonObject[] {
  return typeof content === 'string' ? `${failure}\n${content}` : [toPart(failure), ...content];
}

function isMedia({ type }: ContentPart): boolean {
  return type === 'media';
}

/** The format has the text before the calls, so that another order is lost, which is reported. */
function renderAssistant({ parts }: AssistantMessage, reasoningField: ReasoningField | null): JsonObject {
  const calls = parts.flatMap(renderCall);
  const texts = parts.filter((part) => part.type === 'text');
  const reasoning = parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  return {
    role: 'assistant',
    content: texts.length === 0 && calls.length > 0 ? null : renderContent(texts),
    ...(reasoningField !== null && reasoning !== '' && { [reasoningField]: reasoning }),
    ...fieldsOf(parts.map((part) => (part.type === 'reasoning' ? part.payload : null))),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function renderCall(part: AssistantPart): JsonObject[] {
  if (!isCall(part)) return [];
  const { id, name, payload } = part;
  return part.type === 'call'
    ? [
        {
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(part.arguments) },
          ...fieldsOf([payload]),
        },
      ]
    : [{ id, type: 'custom', custom: { name, input: part.input } }];
}

/** OpenAI rejects longer ids: https://github.com/Portkey-AI/gateway/issues/1062 */
const maxIdLength = 40;

export function acceptedId(id: string): string {
  if (id !== '' && id.length <= maxIdLength) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
