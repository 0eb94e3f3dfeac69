/** A small answer as OpenAI puts it: whole, and in the pieces of a stream. Dialects change what they say differently. */

import { fullText, type SmallAnswer } from '../small-answer.ts';
import type { Usage } from './openai-events.ts';
import type { ChatRequest } from './openai-request.ts';

export function finishReasonOf({ kind }: SmallAnswer): 'stop' | 'tool_calls' {
  return kind === 'tool' ? 'tool_calls' : 'stop';
}

export function openaiMessage(answer: SmallAnswer, toolCallId = 'call_1'): Record<string, unknown> {
  const rest = { refusal: null, annotations: [] };
  if (answer.kind === 'text') return { role: 'assistant', content: fullText(answer.pieces), ...rest };
  const callee = { name: answer.name, arguments: fullText(answer.argumentPieces) };
  const call = { id: toolCallId, type: 'function', function: callee };
  return { role: 'assistant', content: null, tool_calls: [call], ...rest };
}

export function openaiDeltas(answer: SmallAnswer, toolCallId = 'call_1'): Record<string, unknown>[] {
  if (answer.kind === 'text') {
    const pieces = answer.pieces.map((content) => ({ content }));
    return [{ role: 'assistant', content: '', refusal: null }, ...pieces];
  }
  const call = { index: 0, id: toolCallId, type: 'function', function: { name: answer.name, arguments: '' } };
  return [
    { role: 'assistant', content: null, tool_calls: [call], refusal: null },
    ...answer.argumentPieces.map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
  ];
}

/** Makes a chunk of its choices and its usage. */
export type ChunkOf = (choices: object[], usage?: object) => object;

export interface StreamForm {
  chunk: ChunkOf;
  deltas: object[];
  /** A choice of a chunk; `null` while the answer goes on. */
  choice(delta: object, finishReason: string | null): object;
  finishReason: string;
}

/** Usage beside the last choice, as most other providers send it. */
export function chunksWithUsageAtTheEnd(form: StreamForm, usage: object) {
  const { chunk, deltas, choice, finishReason } = form;
  return [...deltas.map((delta) => chunk([choice(delta, null)])), chunk([choice({}, finishReason)], usage)];
}

/** Usage in a chunk of its own after the last choice, as OpenAI sends it when it is asked for. */
export function chunksWithUsageChunk(form: StreamForm, usage: object | null) {
  const { chunk, deltas, choice, finishReason } = form;
  return [
    ...deltas.map((delta) => chunk([choice(delta, null)])),
    chunk([choice({}, finishReason)]),
    ...(usage === null ? [] : [chunk([], usage)]),
  ];
}

export function openaiChoice(delta: object, finishReason: string | null): object {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason };
}

export function asksForUsage({ stream_options: options }: ChatRequest): boolean {
  return options?.include_usage === true;
}

/** What every small answer says was counted, without the details that not all providers tell. */
export const bareUsage: Usage = { prompt_tokens: 19, completion_tokens: 5, total_tokens: 24 };
