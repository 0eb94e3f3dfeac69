/**
 * Normalizes the chunks of a stream that would break clients of OpenAI's format; all others stay unchanged.
 *
 * Clients merge the deltas of a choice by concatenating strings: a repeated role or tool name would be doubled in the
 * result (https://github.com/openai/openai-go/issues/54), and a tool call without an index cannot be merged.
 */
import {
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import { sseEvent } from '../http/sse.ts';
import type { ProviderCall, ReaderFacts } from '../provider.ts';
import { type ChoiceState, type ChoiceStates, createChoiceStates } from '../translation/choice-states.ts';
import type { CompletionIdentity } from '../translation/sink.ts';
import { findUsageObject } from './billing.ts';
import { applyJsonEdits, type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { envelopeEdits, identityOf, logprobsEdits, usageEdits } from './normalize-completion.ts';
import {
  contentEdits,
  createToolCallProgress,
  nullEdits,
  type ToolCallProgress,
} from './normalize-tool-calls.ts';
import { choiceIndex, finishWordOf, hasContent } from './response-facts.ts';

export interface ParsedChunk {
  data: string;
  chunk: JsonObject;
  event: Buffer;
}

export interface ChunkNormalizer {
  /** Returns the unchanged event if it is valid. Expects every chunk once, in order, with the usage reported so far. */
  normalize(parsed: ParsedChunk, usage: JsonObject | null): Buffer;
  /**
   * Holds back a chunk before the first one with choices, such as Azure's first, which has no id. Returns `false` for any
   * other chunk.
   */
  hold(parsed: Pick<ParsedChunk, 'data' | 'chunk'>): boolean;
  /** Returns the held chunks with the id of the next chunk. */
  release(next: JsonObject): Buffer[];
  /** Returns chunks that finish the choices for which the provider has sent content, but no reason. */
  finish(): Buffer[];
}

interface ChoiceProgress {
  state: ChoiceState;
  started: boolean;
  toolCalls: ToolCallProgress;
}

/** Sets the facts about the choices, and `error` if one ended with a failure. */
export function createChunkNormalizer(call: ProviderCall, facts: ReaderFacts): ChunkNormalizer {
  const states = createChoiceStates(call, facts);
  const choices = new Map<number, ChoiceProgress>();
  let identity: CompletionIdentity | null = null;
  let held: string[] = [];

  const progressOf = (index: number): ChoiceProgress => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const state = states.get(index);
    const progress = { state, started: false, toolCalls: createToolCallProgress(call, state) };
    choices.set(index, progress);
    return progress;
  };
  const editsOfChoice = (choice: unknown, position: number): JsonEdit[] => {
    if (!isJsonObject(choice)) return [];
    const index = choiceIndex(choice, position);
    const edits = choice.index === index ? [] : [set(['choices', position, 'index'], index)];
    const progress = progressOf(index);
    return [...edits, ...choiceEdits(choice, ['choices', position], { progress, states })];
  };
  /** Returns `null` for a valid chunk. */
  const normalizedEvent = (data: string, chunk: JsonObject, usage: JsonObject | null): Buffer | null => {
    identity ??= identityOf(chunk, call);
    const edits = [
      ...envelopeEdits(chunk, {
        object: 'chat.completion.chunk',
        identity,
        credential: call.apiKey,
      }),
      ...(Array.isArray(chunk.choices) ? chunk.choices.flatMap(editsOfChoice) : [set(['choices'], [])]),
      ...chunkUsageEdits(chunk, { usage, requested: call.request.includeUsage }),
    ];
    return edits.length === 0 ? null : Buffer.from(`data: ${applyJsonEdits(data, edits)}\n\n`);
  };

  return {
    normalize: ({ data, chunk, event }, usage) => normalizedEvent(data, chunk, usage) ?? event,
    hold({ data, chunk }) {
      const hasChoices = Array.isArray(chunk.choices) && chunk.choices.length > 0;
      if (identity !== null || hasChoices) return false;
      held.push(data);
      return true;
    },
    release(next) {
      if (held.length === 0) return [];
      identity ??= identityOf(next, call);
      const released = held;
      held = [];
      return released.map(
        (data) =>
          normalizedEvent(data, parseJsonObject(data) ?? {}, null) ?? Buffer.from(`data: ${data}\n\n`),
      );
    },
    finish() {
      return states.finishOpen().map((index) => {
        const reason = states.finish(index, 'stop') ?? 'stop';
        const toolCalls = progressOf(index).toolCalls.missingArguments(reason);
        const delta = toolCalls.length === 0 ? {} : { tool_calls: toolCalls };
        const choice = { index, delta, logprobs: null, finish_reason: reason };
        return sseEvent({ ...identity, object: 'chat.completion.chunk', choices: [choice] });
      });
    },
  };
}

function choiceEdits(
  choice: JsonObject,
  path: JsonPath,
  { progress, states }: { progress: ChoiceProgress; states: ChoiceStates },
): JsonEdit[] {
  const { state } = progress;
  const edits: JsonEdit[] = [];
  if ('logprobs' in choice) edits.push(...logprobsEdits(choice.logprobs, [...path, 'logprobs']));
  const deltaPath = [...path, 'delta'];
  // Some servers send a whole message in a chunk.
  const hasDelta = isJsonObject(choice.delta);
  const delta = hasDelta ? objectOrEmpty(choice.delta) : objectOrEmpty(choice.message);
  if (!hasDelta) edits.push(set(deltaPath, delta));
  state.hasOutput ||= hasContent(delta);
  if (state.finish === null) edits.push(...deltaEdits(delta, deltaPath, progress));
  else if ('role' in delta) edits.push(remove([...deltaPath, 'role']));
  return [...edits, ...finishEdits(choice, path, { delta, progress, states })];
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

/**
 * A choice has the field `finish_reason` in every chunk, and a reason in only one of them, which also completes its tool
 * calls.
 */
function finishEdits(
  choice: JsonObject,
  path: JsonPath,
  { delta, progress, states }: { delta: JsonObject; progress: ChoiceProgress; states: ChoiceStates },
): JsonEdit[] {
  const { state, toolCalls } = progress;
  const word = finishWordOf(choice, state);
  const reasonPath = [...path, 'finish_reason'];
  if (word === '' || state.finish !== null) {
    return choice.finish_reason === null ? [] : [set(reasonPath, null)];
  }
  const reason = states.finish(state.index, word) ?? 'stop';
  const edits = choice.finish_reason === reason ? [] : [set(reasonPath, reason)];
  const missing = toolCalls.missingArguments(reason);
  if (missing.length === 0) return edits;
  const callsPath = [...path, 'delta', 'tool_calls'];
  if (!Array.isArray(delta.tool_calls)) return [...edits, set(callsPath, missing)];
  const { length } = delta.tool_calls;
  return [...edits, ...missing.map((toolCall, position) => set([...callsPath, length + position], toolCall))];
}

/**
 * The last chunk with usage has all of it, since some providers report it in parts, and some elsewhere only: Groq in
 * `x_groq`, Moonshot in the last choice.
 */
function chunkUsageEdits(
  chunk: JsonObject,
  { usage, requested }: { usage: JsonObject | null; requested: boolean },
): JsonEdit[] {
  const { usage: reported } = chunk;
  if (!isJsonObject(reported)) {
    const isElsewhere = requested && usage !== null && findUsageObject(chunk) !== null;
    return isElsewhere ? [set(['usage'], usage), ...usageEdits(usage, ['usage'])] : [];
  }
  const isPart = usage !== null && JSON.stringify(usage) !== JSON.stringify(reported);
  return isPart ? [set(['usage'], usage), ...usageEdits(usage, ['usage'])] : usageEdits(reported, ['usage']);
}
