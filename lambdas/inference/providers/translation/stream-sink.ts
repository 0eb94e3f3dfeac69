/** A streamed answer in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/streaming */

import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { toOpenAiUsage } from '#lambdas/pricing/usage.ts';
import { createSseSplitter, sseData, sseEvent } from '../http/sse.ts';
import { type ProviderCall, type StreamFacts, type StreamReader, startStreamFacts } from '../provider.ts';
import { redact } from '../redact.ts';
import {
  argumentsWithoutPieces,
  type ChoiceSink,
  type CompletionSink,
  type FinishReason,
  madeUpCallId,
  shownFinishReason,
  standInIdentity,
  type ToolCallSink,
} from './sink.ts';
export interface CompletionStream extends CompletionSink {
  /**
   * The provider has said all. When every choice is finished, their finish reasons, usage if the caller asked, and
   * `[DONE]` follow. Until then no finish reason is written, since a provider may go on after it.
   */
  end(): void;
  /** What was written since the last time. */
  take(): Buffer;
  readonly facts: StreamFacts;
}

export function createCompletionStream(call: ProviderCall): CompletionStream {
  const facts = startStreamFacts();
  const events = createEventWriter(call, facts);
  const choices = new Map<number, StreamedChoice>();
  return {
    facts,
    identify({ id, model }) {
      facts.responseModel = model || facts.responseModel;
      if (!facts.started) events.identify({ id, model });
    },
    choice(index) {
      const choice = choices.get(index) ?? createStreamedChoice({ index, call, facts, write: events.chunk });
      choices.set(index, choice);
      return choice;
    },
    usage(usage) {
      facts.usage = usage;
    },
    statedCost(usd) {
      facts.statedCostUsd = usd;
    },
    fail(problem) {
      if (!isOver(facts)) facts.problem = problem;
    },
    end() {
      if (isOver(facts) || !closeAll(choices, facts)) return;
      if (call.request.includeUsage && facts.usage !== null) events.chunk([], toOpenAiUsage(facts.usage));
      events.done();
      facts.complete = true;
      facts.ended = true;
    },
    take: events.take,
  };
}

interface EventWriter {
  identify: CompletionSink['identify'];
  chunk: WriteChunk;
  done(): void;
  take(): Buffer;
}

function createEventWriter(call: ProviderCall, facts: StreamFacts): EventWriter {
  const identity = standInIdentity(call);
  let written: Buffer[] = [];
  return {
    identify({ id, model }) {
      identity.id = redact(id || identity.id, call.apiKey);
      identity.model = redact(model || identity.model, call.apiKey);
    },
    chunk(choices, usage = null) {
      if (isOver(facts)) return;
      facts.started = true;
      const { id, created, model } = identity;
      const chunk = { id, object: 'chat.completion.chunk', created, model, choices };
      written.push(sseEvent(call.request.includeUsage ? { ...chunk, usage } : chunk));
    },
    done() {
      written.push(Buffer.from('data: [DONE]\n\n'));
    },
    take() {
      const bytes = Buffer.concat(written);
      written = [];
      return bytes;
    },
  };
}

function isOver({ complete, problem }: StreamFacts): boolean {
  return complete || problem !== null;
}

/** Whether it could be done: there is a choice, and none that is unfinished. */
function closeAll(choices: ReadonlyMap<number, StreamedChoice>, facts: StreamFacts): boolean {
  const inOrder = [...choices].sort(([left], [right]) => left - right).map(([, choice]) => choice);
  const reasons = inOrder.map((choice) => choice.finishReason());
  const [first] = reasons;
  if (first === undefined || reasons.includes(null)) return false;
  facts.finishReason = first;
  for (const choice of inOrder) choice.close();
  return true;
}

// One choice of a streamed answer: each piece becomes a chunk.

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

// Reads a native provider's server-sent events and writes OpenAI's.

export interface SseTranslation {
  call: ProviderCall;
  /** What an event's data says goes into the stream; after a failure none comes any more. */
  translate(data: JsonObject, stream: CompletionStream): void;
  /** As `parseJsonObject`, where numbers have to keep their digits. */
  parse?: (text: string) => JsonObject | null;
}

/** Comments and whatever else is no JSON object are passed over. */
export function createSseTranslator({
  call,
  translate,
  parse = parseJsonObject,
}: SseTranslation): StreamReader {
  const splitter = createSseSplitter();
  const stream = createCompletionStream(call);

  const read = (event: Buffer) => {
    if (stream.facts.problem !== null) return;
    // Google's errors come at times as bare JSON: https://github.com/googleapis/python-genai/issues/1162
    const data = parse(sseData(event) ?? event.toString());
    if (data !== null) translate(data, stream);
  };
  return {
    facts: stream.facts,
    push(chunk) {
      for (const event of splitter.push(chunk)) read(event);
      return stream.take();
    },
    end() {
      read(splitter.rest());
      stream.end();
      return stream.take();
    },
  };
}
