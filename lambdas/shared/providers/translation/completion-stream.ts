/** A streamed answer in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/streaming */
import { toOpenAiUsage } from '../../domain/usage.ts';
import { sseEvent } from '../http/sse.ts';
import { type ProviderCall, type StreamFacts, startStreamFacts } from '../provider.ts';
import { type CompletionSink, standInIdentity } from './completion-sink.ts';
import { createStreamedChoice, type StreamedChoice, type WriteChunk } from './streamed-choice.ts';

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
      identity.id = id || identity.id;
      identity.model = model || identity.model;
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
