/** Builds a stream in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/streaming */
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { createSseSplitter, sseData, sseEvent } from '../http/sse.ts';
import { type ProviderCall, type StreamFacts, type StreamReader, startStreamFacts } from '../provider.ts';
import { redact } from '../redact.ts';
import { toOpenAiUsage } from './openai-usage.ts';
import {
  type ChoiceSink,
  type CompletionSink,
  defaultArguments,
  type FinishReason,
  placeholderCallId,
  placeholderIdentity,
  resolveFinishReason,
  type ToolCallSink,
} from './sink.ts';

export interface CompletionStream extends CompletionSink {
  /**
   * Called when the provider's response is complete. If every choice is finished, writes their finish reasons, the usage
   * if requested, and `[DONE]`. Finish reasons are not written earlier, since a provider may send content after them.
   */
  end(): void;
  /** Returns the bytes written since the last call. */
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
      const choice = choices.get(index) ?? createStreamedChoice(index, { call, facts, write: events.chunk });
      choices.set(index, choice);
      return choice;
    },
    billing(billing) {
      Object.assign(facts, billing);
    },
    fail(error) {
      if (!isOver(facts)) facts.error = error;
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
  const identity = placeholderIdentity(call);
  let events: Buffer[] = [];
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
      events.push(sseEvent(call.request.includeUsage ? { ...chunk, usage } : chunk));
    },
    done() {
      events.push(Buffer.from('data: [DONE]\n\n'));
    },
    take() {
      const bytes = Buffer.concat(events);
      events = [];
      return bytes;
    },
  };
}

function isOver({ complete, error }: StreamFacts): boolean {
  return complete || error !== null;
}

/** Returns `false` and closes nothing if there is no choice or an unfinished one. */
function closeAll(choices: ReadonlyMap<number, StreamedChoice>, facts: StreamFacts): boolean {
  const inOrder = [...choices].sort(([left], [right]) => left - right).map(([, choice]) => choice);
  const reasons = inOrder.map((choice) => choice.finishReason());
  const [first] = reasons;
  if (first === undefined || reasons.includes(null)) return false;
  facts.finishReason = first;
  for (const choice of inOrder) choice.close();
  return true;
}

interface StreamedChoice extends ChoiceSink {
  finishReason(): FinishReason | null;
  close(): void;
}

type WriteChunk = (choices: JsonObject[], usage?: unknown) => void;

function createStreamedChoice(
  index: number,
  { call, facts, write }: { call: ProviderCall; facts: StreamFacts; write: WriteChunk },
): StreamedChoice {
  const toolCalls: StreamedToolCall[] = [];
  let finished: FinishReason | null = null;
  const deltas = createDeltaWriter(index, write);
  const finishReason = () => finished && resolveFinishReason(finished, toolCalls.length);
  return {
    begin: deltas.begin,
    text: (content) => deltas.writeText(content, { content }),
    reasoning: (reasoning_content) => deltas.writeText(reasoning_content, { reasoning_content }),
    refusal: (refusal) => deltas.writeText(refusal, { refusal }),
    toolCall({ id, name, extra }) {
      const callIndex = toolCalls.length;
      const toolCall = createToolCall((change) =>
        deltas.write({ tool_calls: [{ index: callIndex, ...change }] }),
      );
      toolCalls.push(toolCall);
      toolCall.open({ id: id || placeholderCallId(call, index, callIndex), name, extra });
      return toolCall;
    },
    extra: (fields) => deltas.write(fields),
    finish(reason) {
      finished ??= reason;
      facts.finishReason ??= finishReason();
    },
    finishReason,
    close() {
      const reason = finishReason() ?? 'stop';
      for (const toolCall of toolCalls) toolCall.close(reason);
      deltas.begin();
      deltas.write({}, reason);
    },
  };
}

interface DeltaWriter {
  begin(): void;
  write(delta: JsonObject, reason?: FinishReason): void;
  writeText(text: string, delta: JsonObject): void;
}

function createDeltaWriter(index: number, writeChunk: WriteChunk): DeltaWriter {
  let started = false;
  const write = (delta: JsonObject, finish_reason: FinishReason | null = null) => {
    // Only the first delta has the role. Its `content` is `null` if the choice starts with a tool call.
    const first = started ? {} : { role: 'assistant', content: 'tool_calls' in delta ? null : '' };
    started = true;
    writeChunk([{ index, delta: { ...first, ...delta }, logprobs: null, finish_reason }]);
  };
  return {
    begin() {
      if (!started) write({});
    },
    write,
    writeText(text, delta) {
      if (text !== '') write(delta);
    },
  };
}

interface StreamedToolCall extends ToolCallSink {
  open(call: { id: string; name: string; extra: JsonObject | undefined }): void;
  close(reason: FinishReason): void;
}

function createToolCall(write: (change: JsonObject) => void): StreamedToolCall {
  let hasArguments = false;
  const writeArguments = (delta: string) => {
    if (delta === '') return;
    hasArguments = true;
    write({ function: { arguments: delta } });
  };
  return {
    open: ({ id, name, extra }) =>
      write({ id, type: 'function', function: { name, arguments: '' }, ...extra }),
    arguments: writeArguments,
    close(reason) {
      if (!hasArguments) writeArguments(defaultArguments(reason));
    },
  };
}

export interface SseTranslation {
  call: ProviderCall;
  /** Not called again after an error. */
  translate(data: JsonObject, stream: CompletionStream): void;
  /** `parseJsonObject` by default. Another parser can preserve the digits of numbers. */
  parse?: (text: string) => JsonObject | null;
}

/** Translates a provider's server-sent events to OpenAI's format. Skips comments and data other than JSON objects. */
export function createSseTranslator({
  call,
  translate,
  parse = parseJsonObject,
}: SseTranslation): StreamReader {
  const splitter = createSseSplitter();
  const stream = createCompletionStream(call);

  const read = (event: Buffer) => {
    if (stream.facts.error !== null) return;
    // Google sometimes sends errors as bare JSON: https://github.com/googleapis/python-genai/issues/1162
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
