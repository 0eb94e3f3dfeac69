/** A streamed answer in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/streaming */
import type { GatewayError } from '../../domain/gateway-error.ts';
import type { JsonObject } from '../../domain/json.ts';
import { toOpenAiUsage } from '../../domain/usage.ts';
import { sseEvent } from '../http/sse.ts';
import { type ProviderCall, type StreamFacts, startStreamFacts } from '../provider.ts';
import {
  type ChoiceSink,
  type CompletionSink,
  type FinishReason,
  madeUpCallId,
  standInIdentity,
} from './completion-sink.ts';

export interface CompletionStream extends CompletionSink {
  /** The provider's stream holds an error: nothing is written after it. */
  fail(problem: GatewayError): void;
  /** The provider has said all: usage, if the caller asked, and `[DONE]` follow when every choice is finished. */
  end(): void;
  /** What was written since the last time. */
  take(): Buffer;
  readonly facts: StreamFacts;
}

/** One choice, as far as it has come. */
interface ChoiceProgress {
  begun: boolean;
  toolCalls: number;
  finished: boolean;
}

const done = Buffer.from('data: [DONE]\n\n');

export function createCompletionStream(call: ProviderCall): CompletionStream {
  const identity = standInIdentity(call);
  const facts = startStreamFacts();
  const progress = new Map<number, ChoiceProgress>();
  const { includeUsage } = call.request;
  let written: Buffer[] = [];

  const write = (choices: unknown[], usage: unknown = null) => {
    facts.started = true;
    const { id, created, model } = identity;
    const chunk = { id, object: 'chat.completion.chunk', created, model, choices };
    written.push(sseEvent(includeUsage ? { ...chunk, usage } : chunk));
  };
  const writeDelta = (index: number, delta: JsonObject, reason: FinishReason | null = null) =>
    write([{ index, delta, logprobs: null, finish_reason: reason }]);

  return {
    facts,
    identify({ id, model }) {
      identity.id = id ?? identity.id;
      identity.model = model ?? identity.model;
      facts.responseModel = model ?? facts.responseModel;
    },
    choice(index) {
      const choice = progress.get(index) ?? { begun: false, toolCalls: 0, finished: false };
      progress.set(index, choice);
      return choiceSink({ choice, index, call, facts, write: writeDelta });
    },
    usage(usage) {
      facts.usage = usage;
    },
    fail(problem) {
      facts.problem ??= problem;
    },
    end() {
      const finished = progress.size > 0 && [...progress.values()].every((choice) => choice.finished);
      if (facts.complete || facts.problem !== null || !finished) return;
      if (includeUsage && facts.usage !== null) write([], toOpenAiUsage(facts.usage));
      written.push(done);
      facts.complete = true;
    },
    take() {
      const bytes = Buffer.concat(written);
      written = [];
      return bytes;
    },
  };
}

interface ChoiceWriter {
  choice: ChoiceProgress;
  index: number;
  call: ProviderCall;
  facts: StreamFacts;
  write(index: number, delta: JsonObject, reason?: FinishReason | null): void;
}

function choiceSink({ choice, index, call, facts, write }: ChoiceWriter): ChoiceSink {
  /** Only the first delta has the role, and it says whether there is text to come. */
  const writeDelta = (delta: JsonObject) => {
    const first = choice.begun ? {} : { role: 'assistant', content: 'tool_calls' in delta ? null : '' };
    choice.begun = true;
    write(index, { ...first, ...delta });
  };
  return {
    begin() {
      if (!choice.begun) writeDelta({});
    },
    text: (content) => writeDelta({ content }),
    reasoning: (reasoning_content) => writeDelta({ reasoning_content }),
    refusal: (refusal) => writeDelta({ refusal }),
    toolCall({ id, name, extra }) {
      const number = choice.toolCalls++;
      const callId = id || madeUpCallId(call, index, number);
      const opened = {
        index: number,
        id: callId,
        type: 'function',
        function: { name, arguments: '' },
        ...extra,
      };
      writeDelta({ tool_calls: [opened] });
      return {
        arguments: (piece) => writeDelta({ tool_calls: [{ index: number, function: { arguments: piece } }] }),
      };
    },
    extra: (fields) => writeDelta(fields),
    finish(reason) {
      if (choice.finished) return;
      choice.finished = true;
      if (!choice.begun) writeDelta({});
      const shown = reason === 'stop' && choice.toolCalls > 0 ? 'tool_calls' : reason;
      facts.finishReason ??= shown;
      write(index, {}, shown);
    },
  };
}
