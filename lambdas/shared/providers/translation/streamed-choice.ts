/** One choice of a streamed answer: each piece becomes a chunk. */
import type { JsonObject } from '../../domain/json.ts';
import type { ProviderCall, StreamFacts } from '../provider.ts';
import {
  argumentsWithoutPieces,
  type ChoiceSink,
  type FinishReason,
  madeUpCallId,
  shownFinishReason,
  type ToolCallSink,
} from './completion-sink.ts';

export interface StreamedChoice extends ChoiceSink {
  /** As the caller will see it; `null` while there is none. */
  finishReason(): FinishReason | null;
  /** Writes what has to come last. */
  close(): void;
}

export type WriteChunk = (choices: JsonObject[], usage?: unknown) => void;

export interface ChoicePlace {
  index: number;
  call: ProviderCall;
  facts: StreamFacts;
  write: WriteChunk;
}

export function createStreamedChoice({ index, call, facts, write }: ChoicePlace): StreamedChoice {
  const toolCalls: StreamedToolCall[] = [];
  let begun = false;
  let finished: FinishReason | null = null;

  const writeDelta = (delta: JsonObject, reason: FinishReason | null = null) => {
    // Only the first delta has the role, and it says whether there is text to come.
    const first = begun ? {} : { role: 'assistant', content: 'tool_calls' in delta ? null : '' };
    begun = true;
    write([{ index, delta: { ...first, ...delta }, logprobs: null, finish_reason: reason }]);
  };
  const writePiece = (field: string) => (piece: string) => {
    if (piece !== '') writeDelta({ [field]: piece });
  };
  const finishReason = () => finished && shownFinishReason(finished, toolCalls.length);

  return {
    begin() {
      if (!begun) writeDelta({});
    },
    text: writePiece('content'),
    reasoning: writePiece('reasoning_content'),
    refusal: writePiece('refusal'),
    toolCall({ id, name, extra }) {
      const number = toolCalls.length;
      const toolCall = createToolCall((change) => writeDelta({ tool_calls: [{ index: number, ...change }] }));
      toolCalls.push(toolCall);
      toolCall.open({ id: id || madeUpCallId(call, index, number), name, extra });
      return toolCall;
    },
    extra: (fields) => writeDelta(fields),
    finish(reason) {
      finished ??= reason;
      facts.finishReason ??= finishReason();
    },
    finishReason,
    close() {
      const reason = finishReason() ?? 'stop';
      for (const toolCall of toolCalls) toolCall.close(reason);
      if (!begun) writeDelta({});
      writeDelta({}, reason);
    },
  };
}

interface StreamedToolCall extends ToolCallSink {
  open(call: { id: string; name: string; extra: JsonObject | undefined }): void;
  close(reason: FinishReason): void;
}

function createToolCall(write: (change: JsonObject) => void): StreamedToolCall {
  let hasArguments = false;
  const writeArguments = (piece: string) => {
    if (piece === '') return;
    hasArguments = true;
    write({ function: { arguments: piece } });
  };
  return {
    open: ({ id, name, extra }) =>
      write({ id, type: 'function', function: { name, arguments: '' }, ...extra }),
    arguments: writeArguments,
    close(reason) {
      if (!hasArguments) writeArguments(argumentsWithoutPieces(reason));
    },
  };
}
