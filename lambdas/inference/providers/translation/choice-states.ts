/** Tracks the choices of a response while it is read: whether they have content, and why they ended. */

import type { ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import {
  type Finish,
  type FinishReason,
  loggedFinish,
  readFinish,
  resolveFinish,
} from '#lambdas/inference/completion/finish-reasons.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { toGatewayError } from '../errors.ts';
import type { ProviderCall } from '../provider.ts';
import { placeholderCallId } from './placeholders.ts';

export interface ChoiceState {
  readonly index: number;
  toolCalls: number;
  /** True if anything was generated: text, reasoning, a refusal, a tool call or media. */
  readonly hasOutput: boolean;
  finish: Finish | null;
  /** States that something was generated. */
  addOutput(): void;
  /** Counts a tool call, and returns its id: the given one unless it is missing or another call has it. */
  addToolCall(id: string): string;
}

export interface ChoiceStates {
  get(index: number): ChoiceState;
  /**
   * Expects the provider's word. The first one takes precedence, unless it is `stop`, which some servers send in each chunk.
   * Sets the facts `finished` and `finishReason` or, if the word reports a failure, `error`.
   */
  finish(index: number, word: string): void;
  /** Returns OpenAI's reason, as far as it can be told yet; `null` for a failure, which is then the error of the facts. */
  reasonOf(index: number): FinishReason | null;
  /** Finishes the choices that have output, but no finish reason, with `stop`. */
  finishOpen(): void;
  /**
   * Returns the choices in order with their final reasons, since a tool call may have followed the word. Returns `null` if
   * there is no choice, if one is unfinished, or after a failure.
   */
  close(): readonly { index: number; reason: FinishReason }[] | null;
}

/** The parts of a request on which the choices of its response depend. */
export interface ExpectedResult {
  choices: number;
  /** True if the request requires a call of one function, which it names. */
  choosesFunction: boolean;
}

export function createChoiceStates(
  call: ProviderCall,
  expected: ExpectedResult,
  facts: ReaderFacts,
): ChoiceStates {
  const states = new Map<number, ChoiceState>();
  let finished = 0;
  /** The choice whose reason is logged. */
  let firstFinished: number | null = null;

  const get = (index: number): ChoiceState => {
    const known = states.get(index);
    if (known !== undefined) return known;
    const state = createChoiceState(index, call, facts);
    states.set(index, state);
    facts.finished = false;
    return state;
  };
  const reasonOf = (index: number): FinishReason | null => {
    const state = get(index);
    if (state.finish === null) return null;
    const reason = resolveFinish(state.finish, state, expected);
    if (reason === null) facts.error ??= failureError(state.finish, call);
    else if (index === firstFinished) facts.finishReason = loggedFinish(state.finish, reason);
    return reason;
  };
  const finish = (index: number, word: string) => {
    const state = get(index);
    if (state.finish === null) finished += 1;
    if (state.finish === null || isStop(state.finish)) state.finish = readFinish(word);
    firstFinished ??= index;
    reasonOf(index);
    facts.finished ||= finished >= expected.choices && finished === states.size;
  };
  return {
    get,
    finish,
    reasonOf,
    finishOpen() {
      const open = [...states.values()].filter((state) => state.finish === null && state.hasOutput);
      for (const { index } of open) finish(index, 'stop');
    },
    close() {
      const closed: { index: number; reason: FinishReason }[] = [];
      for (const state of [...states.values()].sort((left, right) => left.index - right.index)) {
        const reason = state.finish && resolveFinish(state.finish, state, expected);
        if (state.finish === null || reason === null) return null;
        if (closed.length === 0) facts.finishReason = loggedFinish(state.finish, reason);
        closed.push({ index: state.index, reason });
      }
      return closed.length === 0 ? null : closed;
    },
  };
}

function isStop(finish: Finish): boolean {
  return finish.kind === 'known' && finish.reason === 'stop';
}

function createChoiceState(index: number, call: ProviderCall, facts: ReaderFacts): ChoiceState {
  let callIds: Set<string> | null = null;
  let hasOutput = false;
  const state: ChoiceState = {
    index,
    toolCalls: 0,
    get hasOutput() {
      return hasOutput;
    },
    finish: null,
    addOutput() {
      hasOutput = true;
      facts.continued ||= state.finish !== null;
    },
    addToolCall(id) {
      callIds ??= new Set();
      const isUnique = id !== '' && !callIds.has(id);
      const unique = isUnique ? id : placeholderCallId(call, index, state.toolCalls);
      callIds.add(unique);
      state.toolCalls += 1;
      state.addOutput();
      return unique;
    },
  };
  return state;
}

/** The error of a response that ended with a word for a failure. */
function failureError(finish: Finish, { provider, model }: ProviderCall): GatewayError {
  const status = finish.kind === 'failed' ? finish.status : 500;
  const error = { message: `The provider ${provider} ended its response with "${finish.word}"` };
  return toGatewayError({ provider, model, status, error });
}
