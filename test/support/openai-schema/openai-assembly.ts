/** A stream put together as a client puts it together. */
import {
  isJsonObject,
  type JsonObject,
  objectOf,
  objectsIn,
  parseJson,
  parseJsonObject,
  textOf,
} from '#lambdas/platform/json/json.ts';
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
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
}

/** Text is added to text, whatever it is, as the SDKs do it. */
export function assembleStream(events: string): AssembledStream {
  const data = eventData(events);
  const chunks = data.map(parseJsonObject).filter((chunk) => chunk !== null);
  const pieces = Map.groupBy(
    chunks.flatMap(({ choices }) => objectsIn(choices)),
    ({ index }) => Number(index ?? 0),
  );
  const choices = [...pieces].map(([index, ofChoice]) => ({
    index,
    message: ofChoice
      .map(({ delta }) => objectOf(delta))
      .reduce<AssembledMessage>(addDelta, { role: '', content: null }),
    finish_reason: ofChoice.map((choice) => textOf(choice.finish_reason)).join('') || null,
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
  message.role += textOf(delta.role);
  for (const field of ['content', 'reasoning_content', 'refusal'] as const) {
    if (typeof delta[field] === 'string') message[field] = (message[field] ?? '') + delta[field];
  }
  for (const { index, id, type, function: callee } of objectsIn(delta.tool_calls)) {
    message.tool_calls ??= [];
    // A client indexes an array with it, so without one every call ends up in the same place.
    const place = typeof index === 'number' ? index : 0;
    message.tool_calls[place] ??= { id: '', type: '', function: { name: '', arguments: '' } };
    const call = message.tool_calls[place];
    call.id += textOf(id);
    call.type += textOf(type);
    call.function.name += textOf(objectOf(callee).name);
    call.function.arguments += textOf(objectOf(callee).arguments);
  }
  return message;
}

/**
 * A choice of a whole answer or of an assembled stream, in the form in which fixtures expect it. An empty content is
 * none: a stream begins with one where a whole answer has null.
 */
export function asExpectedChoice(choice: unknown): ExpectedChoice {
  const { message, finish_reason } = objectOf(choice);
  if (!isJsonObject(message)) throw new Error('The choice has no message');
  const calls = objectsIn(message.tool_calls).map(({ function: callee }) => {
    const { name, arguments: text } = objectOf(callee);
    return { name: textOf(name), arguments: parseJson(textOf(text)) ?? text };
  });
  const { reasoning_content: reasoning, refusal, content } = message;
  return {
    content: textOf(content) || null,
    ...(textOf(reasoning) !== '' && { reasoning_content: textOf(reasoning) }),
    ...(textOf(refusal) !== '' && { refusal: textOf(refusal) }),
    ...(calls.length > 0 && { tool_calls: calls }),
    finish_reason: textOf(finish_reason) || null,
  };
}
