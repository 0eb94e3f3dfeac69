/**
 * Scripted completions of the fakes of Google, Bedrock and OpenAI's format, which render them in the protocol of each. In a
 * stream, texts and the arguments of calls come in chunks.
 */
import type { JsonObject } from '#lambdas/platform/json/json.ts';

export type Part =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'call'; name: string; input: JsonObject };

/** Numbers of tokens, of which input includes the cached ones, and output those of reasoning. */
interface TurnUsage {
  input: number;
  output: number;
  cached?: number;
  reasoning?: number;
}

export interface CompletionTurn {
  parts: readonly Part[];
  usage: TurnUsage;
  /** Closes or resets a stream after its first text or arguments. */
  broken?: 'close' | 'reset';
}

/** Each provider has a status and a text of its own for these. */
export type Failure = 'overloaded' | 'rate_limited' | 'server_error' | 'context_full';

interface FailedTurn {
  failure: Failure;
}

export type Turn = CompletionTurn | FailedTurn;

interface AskedCompletion {
  hasTools: boolean;
  stream: boolean;
}

export interface ScriptedBehaviour {
  /** Chooses the response to a valid request; without one, the simulated model responds. */
  nextCompletion?(asked: AskedCompletion, requestId: string): Turn | undefined;
}

export function splitText(text: string): string[] {
  return text.match(/[\s\S]{1,12}/g) ?? [];
}

/** Letters and digits that differ for each position of each request. */
export function uniqueLetters(requestId: string, position: number, length: number): string {
  const number = requestId.replace(/\D/g, '').slice(1 - length);
  return `${number.padStart(length - 1, 'a')}${String.fromCharCode(97 + (position % 26))}`;
}

/** Ends after the first chunk for which `isContent`, if the turn is broken. */
export function untilBroken<Chunk>(
  { broken }: CompletionTurn,
  chunks: readonly Chunk[],
  isContent: (chunk: Chunk) => boolean,
): readonly Chunk[] {
  return broken === undefined ? chunks : chunks.slice(0, chunks.findIndex(isContent) + 1);
}
