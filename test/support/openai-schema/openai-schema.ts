/** Whether an answer is what OpenAI promises its callers: by schema, and for a stream by the order of its events too. */
import type { z } from 'zod';
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
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
export function streamProblems(events: string, rules: StreamRules = {}): string[] {
  const found: string[] = [];
  if (!/\r?\n\r?\n$/.test(events)) found.push('no blank line ends the last event');
  const stream = createStreamCheck();
  for (const [place, data] of eventData(events).entries()) {
    found.push(...stream.check(data).map((problem) => `event ${place}: ${problem}`));
  }
  return [...found, ...stream.end(rules)];
}

interface StreamCheck {
  check(data: string): string[];
  end(rules: StreamRules): string[];
}

function createStreamCheck(): StreamCheck {
  const choices = new Map<number, ChoiceState>();
  let identity: string | null = null;
  let ended: 'done' | 'error' | null = null;
  let usageOnly = 0;
  let lastUsage: unknown = null;

  const checkChunk = (chunk: JsonObject): string[] => {
    const wrong = chunkProblems(chunk);
    if (wrong.length > 0) return wrong;
    const own = JSON.stringify([chunk.id, chunk.model, chunk.created]);
    identity ??= own;
    const found = own === identity ? [] : [`id, model or created changed from ${identity} to ${own}`];
    if (chunk.id === '') found.push('the id is empty');
    if (usageOnly > 0) found.push('a chunk follows the one with usage');
    const entries = Array.isArray(chunk.choices) ? chunk.choices.filter(isJsonObject) : [];
    for (const choice of entries) found.push(...checkChoice(choices, choice));
    lastUsage = chunk.usage;
    if (entries.length === 0 && isJsonObject(chunk.usage)) usageOnly++;
    return found;
  };

  return {
    check(data) {
      if (ended !== null) return [`something follows the ${ended === 'done' ? '[DONE]' : 'error'}`];
      if (data === '[DONE]') {
        ended = 'done';
        return [];
      }
      const value = parseJson(data);
      if (!isJsonObject(value)) return ['is no JSON object'];
      if (!('error' in value)) return checkChunk(value);
      ended = 'error';
      return errorProblems(value);
    },
    end({ includeUsage }) {
      if (ended === 'error') return [];
      const found = ended === null ? ['neither [DONE] nor an error ends the stream'] : [];
      for (const [index, { finishReason }] of choices) {
        if (finishReason === null) found.push(`choice ${index} has no finish_reason`);
      }
      if (includeUsage === true && !isJsonObject(lastUsage)) found.push('the last chunk has no usage');
      if (includeUsage === false && usageOnly > 0) found.push('a chunk has only usage that nobody asked for');
      return found;
    },
  };
}

interface ChoiceState {
  finishReason: string | null;
  toolCalls: number;
}

function checkChoice(choices: Map<number, ChoiceState>, choice: JsonObject): string[] {
  const index = Number(choice.index);
  const delta = isJsonObject(choice.delta) ? choice.delta : {};
  const known = choices.get(index);
  const state = known ?? { finishReason: null, toolCalls: 0 };
  choices.set(index, state);
  if (known?.finishReason != null) return checkFinished(choice, delta).map((it) => `choice ${index} ${it}`);
  const found: string[] = [];
  if (known === undefined && delta.role !== 'assistant') found.push('does not begin with the role');
  if (known !== undefined && 'role' in delta) found.push('has its role twice');
  for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isJsonObject) : []) {
    found.push(...checkToolCall(state, call));
  }
  if (typeof choice.finish_reason === 'string') state.finishReason = choice.finish_reason;
  if (choice.finish_reason === 'tool_calls' && state.toolCalls === 0) found.push('calls no tool');
  return found.map((problem) => `choice ${index} ${problem}`);
}

/** Azure says after the end what its filter found: a choice without a piece of the answer. */
function checkFinished(choice: JsonObject, delta: JsonObject): string[] {
  if (choice.finish_reason !== null) return ['has a second finish_reason'];
  const pieces = Object.values(delta).filter((piece) => piece !== null && piece !== '');
  return pieces.length === 0 ? [] : ['goes on after its finish_reason'];
}

function checkToolCall(state: ChoiceState, call: JsonObject): string[] {
  const callee = isJsonObject(call.function) ? call.function : isJsonObject(call.custom) ? call.custom : {};
  const heads = [call.id, call.type, callee.name];
  if (call.index === state.toolCalls) {
    state.toolCalls++;
    const complete = heads.every((value) => typeof value === 'string' && value !== '');
    return complete ? [] : [`begins tool call ${call.index} without id, type and name`];
  }
  if (typeof call.index !== 'number' || call.index < 0 || call.index > state.toolCalls) {
    return [`has tool call ${call.index} where ${state.toolCalls} is next`];
  }
  const repeated = heads.some((value) => value !== undefined);
  return repeated ? [`says id, type or name of tool call ${call.index} again`] : [];
}
