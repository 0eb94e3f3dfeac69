/**
 * Assembles a stream into a completion as OpenAI's clients do: concatenates all text fields, including repeated ones.
 */
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  parseJson,
  parseJsonObject,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import type { ExpectedChoice } from '../providers/fixture.ts';
import { eventData } from '../providers/sse-events.ts';

export interface AssembledStream {
  id: unknown;
  model: unknown;
  choices: AssembledChoice[];
  usage: JsonObject | null;
  error: JsonObject | null;
  done: boolean;
}

interface AssembledChoice {
  index: number;
  message: AssembledMessage;
  finish_reason: string | null;
}

interface AssembledMessage {
  role: string;
  content: string | null;
  reasoning_content?: string;
  refusal?: string;
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
}

export function assembleStream(events: string): AssembledStream {
  const data = eventData(events);
  const chunks = data.map(parseJsonObject).filter((chunk) => chunk !== null);
  const choicesByIndex = Map.groupBy(
    chunks.flatMap(({ choices }) => filterObjects(choices)),
    ({ index }) => Number(index ?? 0),
  );
  const choices = [...choicesByIndex].map(([index, chunkChoices]) => ({
    index,
    message: chunkChoices
      .map(({ delta }) => objectOrEmpty(delta))
      .reduce<AssembledMessage>(addDelta, { role: '', content: null }),
    finish_reason: chunkChoices.map((choice) => stringOrEmpty(choice.finish_reason)).join('') || null,
  }));
  return {
    id: chunks[0]?.id,
    model: chunks[0]?.model,
    choices: choices.sort((left, right) => left.index - right.index),
    usage: chunks.map(({ usage }) => usage).findLast(isJsonObject) ?? null,
    error: chunks.map(({ error }) => error).find(isJsonObject) ?? null,
    done: data.includes('[DONE]'),
  };
}

function addDelta(message: AssembledMessage, delta: JsonObject): AssembledMessage {
  message.role += stringOrEmpty(delta.role);
  for (const field of ['content', 'reasoning_content', 'refusal'] as const) {
    if (typeof delta[field] === 'string') message[field] = (message[field] ?? '') + delta[field];
  }
  for (const { index, id, type, function: callee } of filterObjects(delta.tool_calls)) {
    message.tool_calls ??= [];
    // Clients use `index` as an array index; without one, all calls end up in the same element.
    const position = typeof index === 'number' ? index : 0;
    message.tool_calls[position] ??= { id: '', type: '', function: { name: '', arguments: '' } };
    const call = message.tool_calls[position];
    call.id += stringOrEmpty(id);
    call.type += stringOrEmpty(type);
    call.function.name += stringOrEmpty(objectOrEmpty(callee).name);
    call.function.arguments += stringOrEmpty(objectOrEmpty(callee).arguments);
  }
  return message;
}

/**
 * Converts a choice of a completion or an assembled stream to the format of fixtures. Empty content becomes `null`,
 * because a stream starts with an empty string when a non-streaming completion has `null`.
 */
export function toExpectedChoice(choice: unknown): ExpectedChoice {
  const { message, finish_reason } = objectOrEmpty(choice);
  if (!isJsonObject(message)) throw new Error('The choice has no message');
  const calls = filterObjects(message.tool_calls).map(({ function: callee }) => {
    const { name, arguments: text } = objectOrEmpty(callee);
    return { name: stringOrEmpty(name), arguments: parseJson(stringOrEmpty(text)) ?? text };
  });
  const { reasoning_content: reasoning, refusal, content } = message;
  return {
    content: stringOrEmpty(content) || null,
    ...(stringOrEmpty(reasoning) !== '' && { reasoning_content: stringOrEmpty(reasoning) }),
    ...(stringOrEmpty(refusal) !== '' && { refusal: stringOrEmpty(refusal) }),
    ...(calls.length > 0 && { tool_calls: calls }),
    finish_reason: stringOrEmpty(finish_reason) || null,
  };
}
