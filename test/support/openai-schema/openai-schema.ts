/** Whether an answer is what OpenAI promises its callers: by schema, and for a stream by the order of its events too. */
import type { z } from 'zod';
import {
  isJsonObject,
  type JsonObject,
  objectOf,
  objectsIn,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import { eventData } from '../providers/sse-events.ts';
import { completion, completionChunk, errorBody, modelList } from './format.ts';

export { type AssembledStream, asExpectedChoice, assembleStream } from './openai-assembly.ts';

/** Each returns what is wrong with a value; empty when nothing is. */
const problemsOf = (schema: z.ZodType) => (value: unknown) =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => `/${path.join('/')} ${message}`);

export const completionProblems = problemsOf(completion);
export const chunkProblems = problemsOf(completionChunk);
export const modelListProblems = problemsOf(modelList);
export const errorProblems = problemsOf(errorBody);

export interface StreamRules {
  /** Whether the caller asked for usage; left out where the stream may have it or not. */
  includeUsage?: boolean;
}

/**
 * What is wrong with the text of a whole stream; empty when nothing is.
 *
 * Clients join the pieces of a delta by adding text to text, role, id, type and name included: openai-python made
 * `assistantassistant` of a role in every chunk. So what is not a piece may come once only.
 */
export function streamProblems(events: string, { includeUsage }: StreamRules = {}): string[] {
  const all = eventData(events).map((data) => (data === '[DONE]' ? data : parseJsonObject(data)));
  const end = all.findIndex((value) => value === '[DONE]' || (value !== null && 'error' in value));
  const last = all[end];
  const chunks = all.slice(0, end === -1 ? all.length : end).filter(isJsonObject);
  const usageAlone = chunks.findIndex(
    ({ choices, usage }) => objectsIn(choices).length === 0 && isJsonObject(usage),
  );
  const identities = new Set(chunks.map(({ id, model, created }) => JSON.stringify([id, model, created])));
  const choices = Map.groupBy(
    chunks.flatMap(({ choices }) => objectsIn(choices)),
    ({ index }) => index,
  );
  const completes = !isJsonObject(last);
  return [
    ...problemsIn({
      'no blank line ends the last event': !/\r?\n\r?\n$/.test(events),
      'an event is no JSON object': all.includes(null),
      'neither [DONE] nor an error ends the stream': end === -1,
      'something follows the end': end !== -1 && end < all.length - 1,
      'id, model or created changed': identities.size > 1,
      'the id is empty': chunks.some(({ id }) => id === ''),
      'a chunk follows the one with usage': usageAlone !== -1 && usageAlone < chunks.length - 1,
      'the last chunk has no usage':
        completes && includeUsage === true && !isJsonObject(chunks.at(-1)?.usage),
      'a chunk has only usage that nobody asked for':
        completes && includeUsage === false && usageAlone !== -1,
    }),
    ...(completes ? [] : errorProblems(last)),
    ...chunks.flatMap((chunk, place) => chunkProblems(chunk).map((problem) => `chunk ${place}: ${problem}`)),
    ...[...choices].flatMap(([index, pieces]) =>
      choiceProblems(pieces, completes).map((problem) => `choice ${index} ${problem}`),
    ),
  ];
}

function problemsIn(found: Record<string, boolean>): string[] {
  return Object.keys(found).filter((problem) => found[problem]);
}

/** Of the choices of one index, in their order. */
function choiceProblems(choices: JsonObject[], completes: boolean): string[] {
  const deltas = choices.map(({ delta }) => objectOf(delta));
  const finishes = choices.filter(({ finish_reason }) => typeof finish_reason === 'string');
  const [finish] = finishes;
  // After the end, Azure says what its filter found: a choice without a piece of the answer.
  const after = finish === undefined ? [] : deltas.slice(choices.indexOf(finish) + 1);
  const calls = deltas.flatMap(({ tool_calls }) => objectsIn(tool_calls));
  return problemsIn({
    'does not begin with the role': deltas[0]?.role !== 'assistant',
    'has its role twice': deltas.slice(1).some((delta) => 'role' in delta),
    'has no finish_reason': completes && finish === undefined,
    'has a second finish_reason': finishes.length > 1,
    'goes on after its finish_reason': after.some((delta) =>
      Object.values(delta).some((it) => it !== null && it !== ''),
    ),
    'calls no tool': finish?.finish_reason === 'tool_calls' && calls.length === 0,
    'has a tool call out of order': calls.some(
      ({ index }, at) => Number(index) > numberOf(calls.slice(0, at)),
    ),
    'does not begin each tool call with id, type and name, or says them again': calls.some((call, at) => {
      const { name } = { ...objectOf(call.function), ...objectOf(call.custom) };
      const begins = Number(call.index) >= numberOf(calls.slice(0, at));
      return [call.id, call.type, name].some((it) =>
        begins ? typeof it !== 'string' || it === '' : it !== undefined,
      );
    }),
  });
}

/** How many tool calls have begun. */
function numberOf(calls: JsonObject[]): number {
  return new Set(calls.map(({ index }) => index)).size;
}
