/**
 * Completes the chunks of a stream to OpenAI's format where a client would break on them; all others stay as they are.
 *
 * Clients join the deltas of a choice by concatenating their texts: a role or a tool's name that comes twice would be
 * doubled in the result (https://github.com/openai/openai-go/issues/54), and a tool call without an index has no place
 * in it.
 */
import {
  isJsonObject,
  type JsonObject,
  objectOf,
  parseJsonObject,
  textOf,
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
  /** The event's data, as text and parsed. */
  data: string;
  chunk: JsonObject;
  event: Buffer;
}

export interface ChunkNormalizer {
  /** Returns the event itself if nothing has to change. Expects every chunk once, in order. */
  normalize(read: ParsedChunk): Buffer;
  /** Keeps a chunk that has no content and no id yet, as Azure's first; returns `false` for any other. */
  hold(read: Pick<ParsedChunk, 'data' | 'chunk'>): boolean;
  /** Returns the chunks that were kept, with the id that the next chunk brings. */
  release(next: JsonObject): Buffer[];
}

interface ChoiceProgress {
  begun: boolean;
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
    const progress = { begun: false, finished: false, toolCalls: createToolCallProgress(call, index) };
    choices.set(index, progress);
    return progress;
  };
  const editsOfChoice = (choice: unknown, position: number): JsonEdit[] => {
    if (!isJsonObject(choice)) return [];
    const index = typeof choice.index === 'number' ? choice.index : position;
    const edits = choice.index === index ? [] : [set(['choices', position, 'index'], index)];
    return [...edits, ...choiceEdits(choice, ['choices', position], progressOf(index))];
  };
  const normalized = (data: string, chunk: JsonObject): Buffer | null => {
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
    normalize: ({ data, chunk, event }) => normalized(data, chunk) ?? event,
    hold({ data, chunk }) {
      const hasChoices = Array.isArray(chunk.choices) && chunk.choices.length > 0;
      if (identity !== null || textOf(chunk.id) !== '' || hasChoices) return false;
      held.push(data);
      return true;
    },
    release(next) {
      if (held.length === 0) return [];
      identity ??= identityOf(next, call);
      const waiting = held;
      held = [];
      return waiting.map(
        (data) => normalized(data, parseJsonObject(data) ?? {}) ?? Buffer.from(`data: ${data}\n\n`),
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
    ...calls.flatMap((piece, position) =>
      isJsonObject(piece) ? progress.toolCalls.editsOf(piece, [...path, 'tool_calls', position]) : [],
    ),
  ];
}

/** Every choice has a finish reason or `null` in every chunk, and finishes once. */
function finishEdits(choice: JsonObject, path: JsonPath, progress: ChoiceProgress): JsonEdit[] {
  const reason = textOf(choice.finish_reason);
  if (reason === '' || progress.finished) return choice.finish_reason === null ? [] : [set(path, null)];
  progress.finished = true;
  const wanted = normalizedReason(reason);
  return wanted === null ? [] : [set(path, wanted)];
}

/** Some providers report usage only in another place: Groq under `x_groq`, Moonshot in the last choice. */
function chunkUsageEdits(chunk: JsonObject, { requested }: { requested: boolean }): JsonEdit[] {
  if (isJsonObject(chunk.usage)) return usageEdits(chunk.usage, ['usage']);
  if (!requested) return [];
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  const places: [unknown, JsonPath][] = [
    [chunk.x_groq, ['x_groq']],
    ...choices.map((choice, position): [unknown, JsonPath] => [choice, ['choices', position]]),
  ];
  for (const [holder, path] of places) {
    if (isJsonObject(holder) && isJsonObject(holder.usage)) {
      return [copy(['usage'], [...path, 'usage']), ...usageEdits(holder.usage, ['usage'])];
    }
  }
  return [];
}
