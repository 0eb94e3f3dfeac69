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
  let finished: FinishReason | null = null;
  const delta = createDeltaWriter(index, write);
  const finishReason = () => finished && shownFinishReason(finished, toolCalls.length);
  return {
    begin: delta.begin,
    text: (content) => delta.piece(content, { content }),
    reasoning: (reasoning_content) => delta.piece(reasoning_content, { reasoning_content }),
    refusal: (refusal) => delta.piece(refusal, { refusal }),
    toolCall({ id, name, extra }) {
      const number = toolCalls.length;
      const toolCall = createToolCall((change) =>
        delta.write({ tool_calls: [{ index: number, ...change }] }),
      );
      toolCalls.push(toolCall);
      toolCall.open({ id: id || madeUpCallId(call, index, number), name, extra });
      return toolCall;
    },
    extra: (fields) => delta.write(fields),
    finish(reason) {
      finished ??= reason;
      facts.finishReason ??= finishReason();
    },
    finishReason,
    close() {
      const reason = finishReason() ?? 'stop';
      for (const toolCall of toolCalls) toolCall.close(reason);
      delta.begin();
      delta.write({}, reason);
    },
  };
}

interface DeltaWriter {
  begin(): void;
  write(delta: JsonObject, reason?: FinishReason): void;
  /** Nothing, if the piece is empty. */
  piece(piece: string, delta: JsonObject): void;
}

function createDeltaWriter(index: number, writeChunk: WriteChunk): DeltaWriter {
  let begun = false;
  const write = (delta: JsonObject, finish_reason: FinishReason | null = null) => {
    // Only the first delta has the role, and it says whether there is text to come.
    const first = begun ? {} : { role: 'assistant', content: 'tool_calls' in delta ? null : '' };
    begun = true;
    writeChunk([{ index, delta: { ...first, ...delta }, logprobs: null, finish_reason }]);
  };
  return {
    begin() {
      if (!begun) write({});
    },
    write,
    piece(piece, delta) {
      if (piece !== '') write(delta);
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
