/**
 * Finds the edits of chunks that would break clients of OpenAI's format; all others stay unchanged.
 *
 * Clients merge the deltas of a choice by concatenating strings: a repeated role or tool name would be doubled in the
 * result (https://github.com/openai/openai-go/issues/54), and a tool call without an index cannot be merged.
 */
import { isJsonObject, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { serialize } from '../serialize.ts';
import type { ChoiceState, ChoiceStates } from '../translation/choice-states.ts';
import { findUsageObject } from './billing.ts';
import { append, type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { logprobsEdits, usageEdits } from './normalize-completion.ts';
import { contentEdits, nullEdits } from './normalize-message.ts';
import type { ToolCallProgress } from './normalize-tool-calls.ts';
import { finishWordOf, hasContent } from './response-facts.ts';

export interface ChoiceProgress {
  state: ChoiceState;
  started: boolean;
  /** The caller has the finish reason. */
  finished: boolean;
  toolCalls: ToolCallProgress;
}

interface ChoiceContext {
  progress: ChoiceProgress;
  states: ChoiceStates;
}

/** `isFinish` states that the choice has the finish reason, which the edits leave as it is. */
export function choiceEdits(
  choice: JsonObject,
  path: JsonPath,
  { progress, states }: ChoiceContext,
): { edits: JsonEdit[]; isFinish: boolean } {
  const { state } = progress;
  const edits = choice.index === state.index ? [] : [set([...path, 'index'], state.index)];
  if ('logprobs' in choice) edits.push(...logprobsEdits(choice.logprobs, [...path, 'logprobs']));
  const deltaPath = [...path, 'delta'];
  const isMessage = !isJsonObject(choice.delta);
  const delta = deltaOf(choice);
  if (isMessage) edits.push(set(deltaPath, delta));
  if (hasContent(delta)) state.addOutput();
  edits.push(...deltaEdits(delta, deltaPath, { progress, isMessage }));
  const word = finishWordOf(choice, state);
  if (word !== '') states.finish(state.index, word);
  const isFinish = word !== '' && !progress.finished;
  // A choice has the field in every chunk.
  if (!isFinish && choice.finish_reason !== null) edits.push(set([...path, 'finish_reason'], null));
  return { edits, isFinish };
}

/** Some servers send a whole message in a chunk. */
export function deltaOf({ delta, message }: JsonObject): JsonObject {
  return objectOrEmpty(isJsonObject(delta) ? delta : message);
}

function deltaEdits(
  delta: JsonObject,
  path: JsonPath,
  { progress, isMessage }: { progress: ChoiceProgress; isMessage: boolean },
): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (progress.started) {
    if ('role' in delta) edits.push(remove([...path, 'role']));
  } else if (delta.role !== 'assistant') edits.push(set([...path, 'role'], 'assistant'));
  progress.started = true;
  const { tool_calls: toolCalls } = delta;
  return [
    ...edits,
    ...contentEdits(delta, path),
    ...nullEdits(delta, path, ['tool_calls', 'function_call']),
    ...(Array.isArray(toolCalls)
      ? progress.toolCalls.editsOf(toolCalls, [...path, 'tool_calls'], isMessage)
      : []),
  ];
}

/** The edits that finish a choice: its reason, and what completes its tool calls. */
export function finalEdits(
  choice: JsonObject,
  path: JsonPath,
  { progress, states }: ChoiceContext,
): JsonEdit[] {
  progress.finished = true;
  const reason = states.reasonOf(progress.state.index) ?? 'stop';
  const edits = choice.finish_reason === reason ? [] : [set([...path, 'finish_reason'], reason)];
  const deltas = progress.toolCalls.complete(reason);
  return deltas.length === 0 ? edits : [...edits, append([...path, 'delta', 'tool_calls'], deltas)];
}

/**
 * The last chunk with usage has all of it, since some providers report it in parts, and some elsewhere only: Groq in
 * `x_groq`, Moonshot in the last choice.
 */
export function chunkUsageEdits(
  chunk: JsonObject,
  { usage, requested }: { usage: JsonObject | null; requested: boolean },
): JsonEdit[] {
  const { usage: reported } = chunk;
  if (!isJsonObject(reported)) {
    const isElsewhere = requested && usage !== null && findUsageObject(chunk) !== null;
    return isElsewhere ? setUsage(usage) : [];
  }
  const isPart = usage !== null && serialize(usage) !== serialize(reported);
  return isPart ? setUsage(usage) : usageEdits(reported, ['usage']);
}

/** Sets a copy: the usage is merged with that of later chunks, and must keep the provider's counts. */
function setUsage(usage: JsonObject): JsonEdit[] {
  return [set(['usage'], { ...usage }), ...usageEdits(usage, ['usage'])];
}
