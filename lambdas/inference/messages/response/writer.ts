/** Writes a completion in Anthropic's format, as the events of a stream or as a whole message. */
import { estimateTokens } from '#lambdas/inference/completion/estimate.ts';
import { isOver, type ReaderFacts, StatedError } from '#lambdas/inference/completion/facts.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import type { CreateWriter, ProviderCall } from '#lambdas/inference/providers/provider.ts';
import { redact } from '#lambdas/inference/providers/redact.ts';
import { createChoiceStates } from '#lambdas/inference/providers/translation/choice-states.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { createMessageChoice, type MessageChoice, otherChoice } from './choice.ts';
import type { MessageEvent, MessageOutput } from './events.ts';
import { createMessageBuilder } from './message.ts';
import { stopOf } from './stop-reason.ts';
import { createMessageStream } from './stream.ts';
import { toMessageUsage, toWholeUsage } from './usage.ts';

export interface RequestedMessage {
  stream: boolean;
  stopSequences: readonly string[];
  /** For the usage of a provider that reports none, or reports it late: clients show by it how full the context is. */
  estimateInputTokens(): number;
}

export function createMessagesWriter(requested: RequestedMessage): CreateWriter {
  return (call, facts) => createWriter(call, facts, requested);
}

function createWriter(
  call: ProviderCall,
  facts: ReaderFacts,
  { stream, stopSequences, estimateInputTokens }: RequestedMessage,
): CompletionWriter {
  const output: MessageOutput = stream ? createMessageStream(facts) : createMessageBuilder(facts);
  const states = createChoiceStates(call, { choices: 1, choosesFunction: false }, facts);
  let model = call.model;
  const write = (event: MessageEvent) => {
    if (!isOver(facts)) output.write(event);
  };
  let isStarted = false;
  const usage = (outputTokens: number): TokenUsage =>
    facts.usage ?? { ...noUsage, freshInputTokens: estimateInputTokens(), outputTokens };
  const start = () => {
    if (isStarted || isOver(facts)) return;
    isStarted = true;
    facts.started = true;
    write({
      type: 'message_start',
      message: {
        // Claude Code joins messages with the same id, which some servers give to all of theirs.
        id: `msg_${call.requestId}`,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        container: null,
        diagnostics: null,
        stop_details: null,
        stop_reason: null,
        stop_sequence: null,
        usage: toWholeUsage(usage(0), facts.serviceTier),
      },
    });
  };
  let choice: MessageChoice | null = null;
  const end = () => {
    if (isOver(facts) || choice === null) return;
    const [closed] = states.close() ?? [];
    if (closed === undefined) return;
    start();
    const { reason, index } = closed;
    const { invalidTool, isRefusal, stopSequence } = choice.close();
    const isCutOff = reason === 'length' || reason === 'content_filter';
    if (invalidTool !== null && !isCutOff) {
      facts.error = invalidInputError(call, invalidTool);
      return;
    }
    const { finish, toolCalls } = states.get(index);
    const word = finish?.word ?? '';
    const hasCalls = toolCalls > 0;
    const stop = stopOf({ reason, word, hasCalls, isRefusal, stopSequence, stopSequences });
    const isRefused = stop.stop_reason === 'refusal';
    write({
      type: 'message_delta',
      delta: {
        container: null,
        stop_details: isRefused ? { type: 'refusal', category: null, explanation: null } : null,
        ...stop,
      },
      usage: toMessageUsage(usage(estimateTokens(facts.textBytes ?? 0))),
    });
    write({ type: 'message_stop' });
    facts.finished = true;
    facts.ended = true;
  };
  return {
    facts,
    identify(identity) {
      facts.responseModel = identity.model || facts.responseModel;
      if (identity.model) model = redact(identity.model, call.apiKey);
    },
    choice(index) {
      choice ??= createMessageChoice(states.get(index), {
        call,
        facts,
        write(event) {
          start();
          write(event);
        },
        // A stream begins as soon as the provider does, and a whole message with its content.
        begin: stream ? start : () => {},
        finish: (word) => states.finish(index, word),
      });
      return choice.index === index ? choice.sink : otherChoice;
    },
    fields() {},
    billing(billing) {
      Object.assign(facts, billing);
    },
    fail(error) {
      if (!isOver(facts)) facts.error = error;
    },
    ping() {
      if (!isOver(facts)) output.ping();
    },
    end,
    endWhole() {
      if (isOver(facts)) return;
      states.finishOpen();
      end();
    },
    take: output.take,
  };
}

/** The caller would run the tool with another input. */
function invalidInputError({ provider }: ProviderCall, tool: string): StatedError {
  return new StatedError('provider_error', {
    message: `The provider ${provider} sent a call of the tool ${tool} whose input is not a JSON object`,
  });
}
