/** A stream put together as a client puts it together. */
import { isJsonObject, type JsonObject, parseJson, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { ExpectedChoice } from '../providers/fixture.ts';
import { eventData } from '../providers/sse-events.ts';

export interface AssembledStream {
  id: unknown;
  model: unknown;
  /** In the form of a whole answer's choices, by index. */
  choices: AssembledChoice[];
  /** The last that was not null. */
  usage: JsonObject | null;
  error: JsonObject | null;
  /** Whether `[DONE]` came. */
  done: boolean;
}

export interface AssembledChoice {
  index: number;
  message: AssembledMessage;
  finish_reason: string | null;
}

interface AssembledMessage {
  role: string;
  content: string | null;
  reasoning_content?: string;
  refusal?: string;
  tool_calls?: AssembledToolCall[];
}

interface AssembledToolCall {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

/** Text is added to text, whatever it is, as the SDKs do it. */
export function assembleStream(events: string): AssembledStream {
  const data = eventData(events);
  const chunks = data.map(parseJsonObject).filter((chunk) => chunk !== null);
  const choices: AssembledChoice[] = [];
  for (const chunk of chunks) {
    for (const choice of listOf(chunk.choices)) addChoice(choices, choice);
  }
  const first = chunks[0];
  const error = chunks.find((chunk) => isJsonObject(chunk.error))?.error;
  return {
    id: first?.id,
    model: first?.model,
    choices: choices.sort((left, right) => left.index - right.index),
    usage: chunks.map(({ usage }) => usage).findLast(isJsonObject) ?? null,
    error: isJsonObject(error) ? error : null,
    done: data.includes('[DONE]'),
  };
}

function addChoice(choices: AssembledChoice[], { index, delta, finish_reason }: JsonObject): void {
  const at = typeof index === 'number' ? index : 0;
  let choice = choices.find((candidate) => candidate.index === at);
  if (choice === undefined) {
    choice = { index: at, message: { role: '', content: null }, finish_reason: null };
    choices.push(choice);
  }
  if (isJsonObject(delta)) addDelta(choice.message, delta);
  if (typeof finish_reason === 'string') choice.finish_reason = (choice.finish_reason ?? '') + finish_reason;
}

function addDelta(message: AssembledMessage, delta: JsonObject): void {
  message.role += textOf(delta.role);
  if (typeof delta.content === 'string') message.content = (message.content ?? '') + delta.content;
  for (const field of ['reasoning_content', 'refusal'] as const) {
    if (typeof delta[field] === 'string') message[field] = (message[field] ?? '') + delta[field];
  }
  for (const piece of listOf(delta.tool_calls)) {
    message.tool_calls ??= [];
    addToolCall(message.tool_calls, piece);
  }
}

function addToolCall(calls: AssembledToolCall[], piece: JsonObject): void {
  const callee = isJsonObject(piece.function) ? piece.function : {};
  // A client indexes an array with it, so without one every call ends up in the same place.
  const index = typeof piece.index === 'number' ? piece.index : 0;
  calls[index] ??= { id: '', type: '', function: { name: '', arguments: '' } };
  const call = calls[index];
  call.id += textOf(piece.id);
  call.type += textOf(piece.type);
  call.function.name += textOf(callee.name);
  call.function.arguments += textOf(callee.arguments);
}

/**
 * A choice of a whole answer or of an assembled stream, in the form in which fixtures expect it. An empty content is
 * none: a stream begins with one where a whole answer has null.
 */
export function asExpectedChoice(choice: unknown): ExpectedChoice {
  const { message, finish_reason } = isJsonObject(choice) ? choice : {};
  if (!isJsonObject(message)) throw new Error('The choice has no message');
  const calls = listOf(message.tool_calls).map(({ function: callee }) => {
    if (!isJsonObject(callee)) throw new Error('The tool call has no function');
    const { name, arguments: text } = callee;
    return { name: textOf(name), arguments: parseJson(textOf(text)) ?? text };
  });
  const { reasoning_content: reasoning, refusal, content } = message;
  return {
    content: textOf(content) === '' ? null : textOf(content),
    ...(textOf(reasoning) !== '' && { reasoning_content: textOf(reasoning) }),
    ...(textOf(refusal) !== '' && { refusal: textOf(refusal) }),
    ...(calls.length > 0 && { tool_calls: calls }),
    finish_reason: typeof finish_reason === 'string' ? finish_reason : null,
  };
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
