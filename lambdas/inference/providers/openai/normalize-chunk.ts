/**
 * Normalizes the chunks of a stream that would break clients of OpenAI's format; all others stay unchanged.
 *
 * Clients merge the deltas of a choice by concatenating strings: a repeated role or tool name would be doubled in the
 * result (https://github.com/openai/openai-go/issues/54), and a tool call without an index cannot be merged.
 */
import {
  isJsonObject,
  type JsonObject,
  numberOr,
  objectOrEmpty,
  parseJsonObject,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import type { CompletionIdentity } from '../translation/sink.ts';
import { applyJsonEdits, copy, type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { envelopeEdits, identityOf, logprobsEdits, usageEdits } from './normalize-completion.ts';
import {
  contentEdits,
  createToolCallProgress,
  nullEdits,
  type ToolCallProgress,
} from './normalize-tool-calls.ts';
import { normalizedReason } from './response-facts.ts';

export interface ParsedChunk {
  data: string;
  chunk: JsonObject;
  event: Buffer;
}

export interface ChunkNormalizer {
  /** Returns the unchanged event if it is valid. Expects every chunk once, in order. */
  normalize(parsed: ParsedChunk): Buffer;
  /** Holds back a chunk without content and id, such as Azure's first. Returns `false` for any other chunk. */
  hold(parsed: Pick<ParsedChunk, 'data' | 'chunk'>): boolean;
  /** Returns the held chunks with the id of the next chunk. */
  release(next: JsonObject): Buffer[];
}

interface ChoiceProgress {
  started: boolean;
  finished: boolean;
  toolCalls: ToolCallProgress;
}

export function createChunkNormalizer(call: ProviderCall): ChunkNormalizer {
  const choices = new Map<number, ChoiceProgress>();
  let identity: CompletionIdentity | null = null;
  let held: string[] = [];

  const progressOf = (index: number): ChoiceProgress => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const progress = { started: false, finished: false, toolCalls: createToolCallProgress(call, index) };
    choices.set(index, progress);
    return progress;
  };
  const editsOfChoice = (choice: unknown, position: number): JsonEdit[] => {
    if (!isJsonObject(choice)) return [];
    const index = numberOr(choice.index, position);
    const edits = choice.index === index ? [] : [set(['choices', position, 'index'], index)];
    return [...edits, ...choiceEdits(choice, ['choices', position], progressOf(index))];
  };
  /** Returns `null` for a valid chunk. */
  const normalizedEvent = (data: string, chunk: JsonObject): Buffer | null => {
    identity ??= identityOf(chunk, call);
    const edits = [
      ...envelopeEdits(chunk, {
        object: 'chat.completion.chunk',
        identity,
        credential: call.apiKey,
      }),
      ...(Array.isArray(chunk.choices) ? chunk.choices.flatMap(editsOfChoice) : [set(['choices'], [])]),
      ...chunkUsageEdits(chunk, { requested: call.request.includeUsage }),
    ];
    return edits.length === 0 ? null : Buffer.from(`data: ${applyJsonEdits(data, edits)}\n\n`);
  };

  return {
    normalize: ({ data, chunk, event }) => normalizedEvent(data, chunk) ?? event,
    hold({ data, chunk }) {
      const hasChoices = Array.isArray(chunk.choices) && chunk.choices.length > 0;
      if (identity !== null || stringOrEmpty(chunk.id) !== '' || hasChoices) return false;
      held.push(data);
      return true;
    },
    release(next) {
      if (held.length === 0) return [];
      identity ??= identityOf(next, call);
      const released = held;
      held = [];
      return released.map(
        (data) => normalizedEvent(data, parseJsonObject(data) ?? {}) ?? Buffer.from(`data: ${data}\n\n`),
      );
    },
  };
}

function choiceEdits(choice: JsonObject, path: JsonPath, progress: ChoiceProgress): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if ('logprobs' in choice) edits.push(...logprobsEdits(choice.logprobs, [...path, 'logprobs']));
  const deltaPath = [...path, 'delta'];
  if (!isJsonObject(choice.delta)) edits.push(set(deltaPath, {}));
  if (!progress.finished) {
    edits.push(...deltaEdits(objectOrEmpty(choice.delta), deltaPath, progress));
  } else if (isJsonObject(choice.delta) && 'role' in choice.delta) edits.push(remove([...deltaPath, 'role']));
  return [...edits, ...finishEdits(choice, [...path, 'finish_reason'], progress)];
}

function deltaEdits(delta: JsonObject, path: JsonPath, progress: ChoiceProgress): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (progress.started) {
    if ('role' in delta) edits.push(remove([...path, 'role']));
  } else if (delta.role !== 'assistant') edits.push(set([...path, 'role'], 'assistant'));
  progress.started = true;
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
  return [
    ...edits,
    ...contentEdits(delta, path),
    ...nullEdits(delta, path, ['tool_calls', 'function_call']),
    ...calls.flatMap((toolCall, position) =>
      isJsonObject(toolCall) ? progress.toolCalls.editsOf(toolCall, [...path, 'tool_calls', position]) : [],
    ),
  ];
}

/** A choice has the field `finish_reason` in every chunk, and a reason in only one of them. */
function finishEdits(choice: JsonObject, path: JsonPath, progress: ChoiceProgress): JsonEdit[] {
  const reason = stringOrEmpty(choice.finish_reason);
  if (reason === '' || progress.finished) return choice.finish_reason === null ? [] : [set(path, null)];
  progress.finished = true;
  const replacement = normalizedReason(reason);
  return replacement === null ? [] : [set(path, replacement)];
}

/** Some providers report usage elsewhere only: Groq in `x_groq`, Moonshot in the last choice. */
function chunkUsageEdits(chunk: JsonObject, { requested }: { requested: boolean }): JsonEdit[] {
  if (isJsonObject(chunk.usage)) return usageEdits(chunk.usage, ['usage']);
  if (!requested) return [];
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  const locations: [unknown, JsonPath][] = [
    [chunk.x_groq, ['x_groq']],
    ...choices.map((choice, position): [unknown, JsonPath] => [choice, ['choices', position]]),
  ];
  for (const [parent, path] of locations) {
    if (isJsonObject(parent) && isJsonObject(parent.usage)) {
      return [copy(['usage'], [...path, 'usage']), ...usageEdits(parent.usage, ['usage'])];
    }
  }
  return [];
}
