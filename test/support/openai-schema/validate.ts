/** Validates responses against OpenAI's format: by schema, and streams also by the order of their events. */
import type { z } from 'zod';
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import { eventData } from '../providers/sse-events.ts';
import { completion, completionChunk, errorBody, modelList } from './format.ts';

export {
  type AssembledStream,
  assembleStream,
  toExpectedChoice,
} from './assemble-stream.ts';

const validateWith = (schema: z.ZodType) => (value: unknown) =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => `/${path.join('/')} ${message}`);

export const completionProblems = validateWith(completion);
export const chunkProblems = validateWith(completionChunk);
export const modelListProblems = validateWith(modelList);
export const errorProblems = validateWith(errorBody);

interface StreamRules {
  /** True when the caller requested usage; leave unset if usage is optional. */
  includeUsage?: boolean;
}

/**
 * Validates the text of a complete stream; returns the problems found.
 *
 * Clients concatenate every text field of the deltas, including role, id, type and name: a role in every chunk became
 * `assistantassistant` in openai-python. Fields that are not text fragments may therefore appear only once.
 */
export function streamProblems(events: string, { includeUsage }: StreamRules = {}): string[] {
  const all = eventData(events).map((data) => (data === '[DONE]' ? data : parseJsonObject(data)));
  const end = all.findIndex((value) => value === '[DONE]' || Boolean(value?.error));
  const last = all[end];
  const chunks = all.slice(0, end === -1 ? all.length : end).filter(isJsonObject);
  const usageOnlyChunk = chunks.findIndex(
    ({ choices, usage }) => filterObjects(choices).length === 0 && isJsonObject(usage),
  );
  const identities = new Set(chunks.map(({ id, model, created }) => JSON.stringify([id, model, created])));
  const choices = Map.groupBy(
    chunks.flatMap(({ choices }) => filterObjects(choices)),
    ({ index }) => index,
  );
  const isComplete = !isJsonObject(last);
  return [
    ...failedChecks({
      'the last event does not end with a blank line': !/(?:\n\r?\n|\r\r)$/.test(events),
      'an event is not a JSON object': all.includes(null),
      'neither [DONE] nor an error ends the stream': end === -1,
      'an event follows the end': end !== -1 && end < all.length - 1,
      'id, model or created differ between chunks': identities.size > 1,
      'the id is empty': chunks.some(({ id }) => id === ''),
      'a chunk follows the usage chunk': usageOnlyChunk !== -1 && usageOnlyChunk < chunks.length - 1,
      'the last chunk has no usage':
        isComplete && includeUsage === true && !isJsonObject(chunks.at(-1)?.usage),
      'a usage chunk was not requested': isComplete && includeUsage === false && usageOnlyChunk !== -1,
    }),
    ...(isComplete ? [] : errorProblems(last)),
    ...chunks.flatMap((chunk, index) => chunkProblems(chunk).map((problem) => `chunk ${index}: ${problem}`)),
    ...[...choices].flatMap(([index, chunkChoices]) =>
      choiceProblems(chunkChoices, isComplete).map((problem) => `choice ${index} ${problem}`),
    ),
  ];
}

function failedChecks(checks: Record<string, boolean>): string[] {
  return Object.keys(checks).filter((problem) => checks[problem]);
}

function choiceProblems(choices: JsonObject[], isComplete: boolean): string[] {
  const deltas = choices.map(({ delta }) => objectOrEmpty(delta));
  const finishes = choices.filter(({ finish_reason }) => typeof finish_reason === 'string');
  const [finish] = finishes;
  // After the finish reason, Azure sends its filter results in a choice without text.
  const after = finish === undefined ? [] : deltas.slice(choices.indexOf(finish) + 1);
  const calls = deltas.flatMap(({ tool_calls }) => filterObjects(tool_calls));
  return failedChecks({
    'does not start with the role': deltas[0]?.role !== 'assistant',
    'repeats its role': deltas.slice(1).some((delta) => 'role' in delta),
    'has no finish_reason': isComplete && finish === undefined,
    'has a second finish_reason': finishes.length > 1,
    'continues after its finish_reason': after.some((delta) =>
      Object.values(delta).some((it) => it !== null && it !== ''),
    ),
    'has finish_reason tool_calls but no tool call':
      finish?.finish_reason === 'tool_calls' && calls.length === 0,
    'has a tool call out of order': calls.some(
      ({ index }, at) => Number(index) > countToolCalls(calls.slice(0, at)),
    ),
    'does not start each tool call with id, type and name, or repeats them': calls.some((call, at) => {
      const { name } = { ...objectOrEmpty(call.function), ...objectOrEmpty(call.custom) };
      const isFirst = Number(call.index) >= countToolCalls(calls.slice(0, at));
      return [call.id, call.type, name].some((it) =>
        isFirst ? typeof it !== 'string' || it === '' : it !== undefined,
      );
    }),
  });
}

function countToolCalls(calls: JsonObject[]): number {
  return new Set(calls.map(({ index }) => index)).size;
}
