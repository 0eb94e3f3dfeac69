/** Builds a stream in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/streaming */
import { isOver, type ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { FinishReason } from '#lambdas/inference/completion/finish-reasons.ts';
import type { ChoiceSink, CompletionSink, CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { sseDone, sseEvent } from '#lambdas/inference/providers/http/sse.ts';
import type { ProviderCall } from '#lambdas/inference/providers/provider.ts';
import { redact } from '#lambdas/inference/providers/redact.ts';
import {
  type ChoiceState,
  createChoiceStates,
  type ExpectedResult,
} from '#lambdas/inference/providers/translation/choice-states.ts';
import {
  placeholderAudio,
  placeholderIdentity,
} from '#lambdas/inference/providers/translation/placeholders.ts';
import { sseComment } from '#lambdas/platform/http/event-stream.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { createSignatureFields, mediaFields, thoughtSignature } from './message-fields.ts';
import { createStreamedCall, type StreamedCall } from './streamed-call.ts';
import { toOpenAiUsage } from './usage.ts';

interface RequestedStream {
  expected: ExpectedResult;
  /** `stream_options.include_usage`. */
  includeUsage: boolean;
}

export function createCompletionStream(
  call: ProviderCall,
  { expected, includeUsage }: RequestedStream,
  facts: ReaderFacts,
): CompletionWriter {
  const events = createEventWriter(call, facts, includeUsage);
  const states = createChoiceStates(call, expected, facts);
  const choices = new Map<number, StreamedChoice>();

  const end = () => {
    if (isOver(facts)) return;
    const closed = states.close();
    if (closed === null) return;
    for (const { index, reason } of closed) choices.get(index)?.close(reason);
    if (includeUsage && facts.usage !== null) events.chunk([], toOpenAiUsage(facts.usage));
    events.done();
    facts.finished = true;
    facts.ended = true;
  };
  return {
    facts,
    identify(identity) {
      facts.responseModel = identity.model || facts.responseModel;
      if (!facts.started) events.identify(identity);
    },
    choice(index) {
      const choice =
        choices.get(index) ??
        createStreamedChoice(states.get(index), {
          call,
          write: events.chunk,
          finish: (word) => void states.finish(index, word),
        });
      choices.set(index, choice);
      return choice;
    },
    fields: events.fields,
    billing(billing) {
      Object.assign(facts, billing);
    },
    fail(error) {
      if (!isOver(facts)) facts.error = error;
    },
    ping: events.ping,
    end,
    endWhole() {
      if (isOver(facts)) return;
      states.finishOpen();
      end();
    },
    take: events.take,
  };
}

interface EventWriter extends Pick<CompletionSink, 'identify' | 'fields'> {
  chunk: WriteChunk;
  ping(): void;
  done(): void;
  take(): Buffer;
}

function createEventWriter(call: ProviderCall, facts: ReaderFacts, includeUsage: boolean): EventWriter {
  const identity = placeholderIdentity(call);
  let fields: JsonObject = {};
  let events: Buffer[] = [];
  return {
    identify({ id, model, created }) {
      identity.id = redact(id || identity.id, call.apiKey);
      identity.model = redact(model || identity.model, call.apiKey);
      identity.created = created || identity.created;
    },
    fields(added) {
      fields = { ...fields, ...added };
    },
    chunk(choices, usage = null) {
      if (isOver(facts)) return;
      facts.started = true;
      const { id, created, model } = identity;
      facts.responseId ??= id;
      const chunk = { id, object: 'chat.completion.chunk', created, model, choices, ...fields };
      events.push(sseEvent(includeUsage ? { ...chunk, usage } : chunk));
    },
    ping() {
      if (!isOver(facts)) events.push(sseComment);
    },
    done() {
      events.push(sseDone);
    },
    take() {
      const bytes = Buffer.concat(events);
      events = [];
      return bytes;
    },
  };
}

interface StreamedChoice extends ChoiceSink {
  close(reason: FinishReason): void;
}

type WriteChunk = (choices: JsonObject[], usage?: unknown) => void;

function createStreamedChoice(
  state: ChoiceState,
  { call, write, finish }: { call: ProviderCall; write: WriteChunk; finish: ChoiceSink['finish'] },
): StreamedChoice {
  const toolCalls: StreamedCall[] = [];
  const deltas = createDeltaWriter(state.index, write);
  const signatures = createSignatureFields();
  let audioStart: JsonObject = placeholderAudio(call, state.index);
  const generated = (delta: JsonObject) => {
    state.addOutput();
    deltas.write(delta);
  };
  return {
    begin: deltas.begin,
    text(content) {
      if (content === '') return;
      signatures.addText(content);
      generated({ content });
    },
    reasoning(reasoning_content) {
      if (reasoning_content === '') return;
      signatures.addReasoning(reasoning_content);
      generated({ reasoning_content });
    },
    refusal: (refusal) => refusal !== '' && generated({ refusal }),
    audio(delta) {
      generated({ audio: { ...audioStart, ...delta } });
      audioStart = {};
    },
    media: (delta) => generated(mediaFields(delta)),
    signature(payload) {
      const fields = signatures.fieldsOf(payload);
      if (fields !== null) generated(fields);
    },
    omit: signatures.addOther,
    stopSequence() {},
    toolCall({ id, name, mayContinueName = false, isCustom = false, payload = null, extra }) {
      signatures.addOther();
      for (const earlier of toolCalls) earlier.open();
      const index = state.toolCalls;
      const fields = { ...(payload && thoughtSignature(payload)), ...extra };
      const start = { name, isCustom, extra: fields, id: state.addToolCall(id ?? '') };
      const toolCall = createStreamedCall(start, (change) =>
        deltas.write({ tool_calls: [{ index, ...change }] }),
      );
      toolCalls.push(toolCall);
      if (!mayContinueName) toolCall.open();
      return {
        name: toolCall.name,
        arguments(delta) {
          if (delta !== '') state.addOutput();
          toolCall.arguments(delta);
        },
      };
    },
    extra: generated,
    logprobs: (lists) => deltas.write({}, null, lists),
    finish,
    close(reason) {
      for (const toolCall of toolCalls) toolCall.close(reason);
      deltas.begin();
      deltas.write({}, reason);
    },
  };
}

interface DeltaWriter {
  begin(): void;
  write(delta: JsonObject, reason?: FinishReason | null, logprobs?: JsonObject | null): void;
}

function createDeltaWriter(index: number, writeChunk: WriteChunk): DeltaWriter {
  let started = false;
  const write: DeltaWriter['write'] = (delta, finish_reason = null, logprobs = null) => {
    // Only the first delta has the role. Its `content` is `null` if the choice starts with a tool call.
    const first = started ? {} : { role: 'assistant', content: 'tool_calls' in delta ? null : '' };
    started = true;
    writeChunk([{ index, delta: { ...first, ...delta }, logprobs, finish_reason }]);
  };
  return {
    begin() {
      if (!started) write({});
    },
    write,
  };
}
