/** What the model behind a fake of the OpenAI format says: a word of text, JSON by a schema, or one tool call. */
import { isJsonObject } from '#lambdas/platform/json/json.ts';
import type { ChatRequest } from './openai/openai-request.ts';
import { answerPieces, exampleOf, type ProviderBehaviour } from './provider-behaviour.ts';

export type SmallAnswer =
  | { kind: 'text'; pieces: readonly string[] }
  | { kind: 'tool'; name: string; argumentPieces: readonly string[] };

/** Calls a tool once: when its result is the last message, the answer is text. */
export function smallAnswer(chat: ChatRequest, behaviour: ProviderBehaviour): SmallAnswer {
  const name = toolName(chat);
  const wantsText = chat.tool_choice === 'none' || chat.messages.at(-1)?.role === 'tool';
  if (name !== undefined && !wantsText)
    return { kind: 'tool', name, argumentPieces: ['{"city":', '"Oslo"}'] };
  const json = jsonAnswerText(chat);
  if (json !== null) return { kind: 'text', pieces: [json.slice(0, 2), json.slice(2)] };
  return { kind: 'text', pieces: answerPieces(behaviour, lastUserText(chat)) };
}

export function fullText(pieces: readonly string[]): string {
  return pieces.join('');
}

/** The tool that the choice names, or the first. */
function toolName({ tool_choice: choice, tools }: ChatRequest): string | undefined {
  const chosen = isJsonObject(choice) && isJsonObject(choice.function) ? choice.function.name : undefined;
  return typeof chosen === 'string' ? chosen : tools?.[0]?.function.name;
}

function jsonAnswerText({ response_format: format }: ChatRequest): string | null {
  switch (format?.type) {
    case 'json_schema':
      return JSON.stringify(exampleOf(format.json_schema?.schema ?? { type: 'object' }));
    case 'json_object':
      return '{"answer":"text"}';
    default:
      return null;
  }
}

function lastUserText({ messages }: ChatRequest): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content;
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}
