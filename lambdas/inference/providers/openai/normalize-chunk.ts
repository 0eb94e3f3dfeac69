/**
 * What a chunk lacks of OpenAI's form, where a client would break on it.
 *
 * Clients join the deltas of a choice by adding text to text: a role or a tool's name that comes twice is there twice
 * in what they put together (https://github.com/openai/openai-go/issues/54), and a tool call without an index has no
 * place in it.
 */
import {
  isJsonObject,
  type JsonObject,
  objectOf,
  parseJsonObject,
  textOf,
} from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import type { AnswerIdentity } from '../translation/sink.ts';
import { applyJsonEdits, copy, type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { envelopeEdits, identityOf, logprobsEdits, usageEdits } from './normalize-completion.ts';
import {
  contentEdits,
  createToolCallProgress,
  nullEdits,
  type ToolCallProgress,
} from './normalize-tool-calls.ts';
import { translatedReason } from './response-facts.ts';
export interface ChunkRepairs {
  /** None for a chunk that is right. Each chunk is asked about once, in order. */
  editsOf(chunk: JsonObject): JsonEdit[];
  /** Whether it says nothing yet, not even as what it answers: Azure begins so. */
  isPlaceholder(chunk: JsonObject): boolean;
  /** Takes what all chunks of the answer are to show from this one, unless one before it said so. */
  identify(chunk: JsonObject): void;
}

interface ChoiceProgress {
  begun: boolean;
  finished: boolean;
  toolCalls: ToolCallProgress;
}

export function createChunkRepairs(call: ProviderCall): ChunkRepairs {
  const choices = new Map<number, ChoiceProgress>();
  let identity: AnswerIdentity | null = null;

  const progressOf = (index: number): ChoiceProgress => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const progress = { begun: false, finished: false, toolCalls: createToolCallProgress(call, index) };
    choices.set(index, progress);
    return progress;
  };
  const placedChoiceEdits = (choice: unknown, place: number): JsonEdit[] => {
    if (!isJsonObject(choice)) return [];
    const index = typeof choice.index === 'number' ? choice.index : place;
    return choiceEdits({ choice, index, path: ['choices', place], progress: progressOf(index) });
  };

  const identify = (chunk: JsonObject): AnswerIdentity => {
    identity ??= identityOf(chunk, call);
    return identity;
  };

  return {
    identify,
    isPlaceholder: (chunk) =>
      identity === null &&
      textOf(chunk.id) === '' &&
      !(Array.isArray(chunk.choices) && chunk.choices.length > 0),
    editsOf(chunk) {
      const list = Array.isArray(chunk.choices) ? chunk.choices : null;
      return [
        ...envelopeEdits(chunk, {
          object: 'chat.completion.chunk',
          identity: identify(chunk),
          credential: call.apiKey,
        }),
        ...(list === null ? [set(['choices'], [])] : list.flatMap(placedChoiceEdits)),
        ...chunkUsageEdits(chunk, { asked: call.request.includeUsage }),
      ];
    },
  };
}

/** Some tell usage in a place of their own only: Groq under `x_groq`, Moonshot in the last choice. */
function chunkUsageEdits(chunk: JsonObject, { asked }: { asked: boolean }): JsonEdit[] {
  if (isJsonObject(chunk.usage)) return usageEdits(chunk.usage, ['usage']);
  if (!asked) return [];
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  const places: [unknown, JsonPath][] = [
    [chunk.x_groq, ['x_groq']],
    ...choices.map((choice, place): [unknown, JsonPath] => [choice, ['choices', place]]),
  ];
  for (const [holder, path] of places) {
    if (isJsonObject(holder) && isJsonObject(holder.usage)) {
      return [copy(['usage'], [...path, 'usage']), ...usageEdits(holder.usage, ['usage'])];
    }
  }
  return [];
}

interface PlacedChoice {
  choice: JsonObject;
  index: number;
  path: JsonPath;
  progress: ChoiceProgress;
}

function choiceEdits({ choice, index, path, progress }: PlacedChoice): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (choice.index !== index) edits.push(set([...path, 'index'], index));
  if ('logprobs' in choice) edits.push(...logprobsEdits(choice.logprobs, [...path, 'logprobs']));
  const deltaPath = [...path, 'delta'];
  if (!isJsonObject(choice.delta)) edits.push(set(deltaPath, {}));
  if (!progress.finished) {
    edits.push(...deltaEdits(objectOf(choice.delta), deltaPath, progress));
  } else if (isJsonObject(choice.delta) && 'role' in choice.delta) edits.push(remove([...deltaPath, 'role']));
  return [...edits, ...finishEdits(choice, [...path, 'finish_reason'], progress)];
}

function deltaEdits(delta: JsonObject, path: JsonPath, progress: ChoiceProgress): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (progress.begun) {
    if ('role' in delta) edits.push(remove([...path, 'role']));
  } else if (delta.role !== 'assistant') edits.push(set([...path, 'role'], 'assistant'));
  progress.begun = true;
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
  return [
    ...edits,
    ...contentEdits(delta, path),
    ...nullEdits(delta, path, ['tool_calls', 'function_call']),
    ...calls.flatMap((piece, place) =>
      isJsonObject(piece) ? progress.toolCalls.editsOf(piece, [...path, 'tool_calls', place]) : [],
    ),
  ];
}

/** Every choice says in every chunk why it ended, or that it did not; and it ends once. */
function finishEdits(choice: JsonObject, path: JsonPath, progress: ChoiceProgress): JsonEdit[] {
  const reason = textOf(choice.finish_reason);
  if (reason === '' || progress.finished) return choice.finish_reason === null ? [] : [set(path, null)];
  progress.finished = true;
  const wanted = translatedReason(reason);
  return wanted === null ? [] : [set(path, wanted)];
}

// The chunks of a stream as the caller gets them: as they came, or with what clients break on mended.

export interface ReadChunk {
  /** The event's data, and what it says. */
  data: string;
  chunk: JsonObject;
  event: Buffer;
}

export interface ChunkWriter {
  /** The event itself, if nothing has to change. */
  write(read: ReadChunk): Buffer;
  /** Keeps a chunk that says nothing yet, not even as what it answers; `false` for any other. */
  hold(read: Pick<ReadChunk, 'data' | 'chunk'>): boolean;
  /** What was kept, with the id of the answer, which the next chunk tells. */
  release(next: JsonObject): Buffer[];
}

export function createChunkWriter(call: ProviderCall): ChunkWriter {
  const repairs = createChunkRepairs(call);
  let held: string[] = [];
  const mended = (data: string, chunk: JsonObject): Buffer | null => {
    const edits = repairs.editsOf(chunk);
    return edits.length === 0 ? null : Buffer.from(`data: ${applyJsonEdits(data, edits)}\n\n`);
  };
  return {
    write: ({ data, chunk, event }) => mended(data, chunk) ?? event,
    hold({ data, chunk }) {
      if (!repairs.isPlaceholder(chunk)) return false;
      held.push(data);
      return true;
    },
    release(next) {
      if (held.length === 0) return [];
      repairs.identify(next);
      const waiting = held;
      held = [];
      return waiting.map(
        (data) => mended(data, parseJsonObject(data) ?? {}) ?? Buffer.from(`data: ${data}\n\n`),
      );
    },
  };
}
