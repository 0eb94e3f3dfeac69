/** Writes a completion in a format whose responses are a list of parts in order. */

import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { estimateTokens } from '../completion/estimate.ts';
import { isOver, type ReaderFacts, StatedError } from '../completion/facts.ts';
import type { CompletionWriter } from '../completion/sink.ts';
import type { ProviderCall } from '../providers/provider.ts';
import { redact } from '../providers/redact.ts';
import { createChoiceStates } from '../providers/translation/choice-states.ts';
import { createOrderedChoice, type OrderedChoice, otherChoice } from './choice.ts';
import type { OrderedFormat } from './format.ts';

interface OrderedOutput {
  call: ProviderCall;
  facts: ReaderFacts;
  stream: boolean;
  format: OrderedFormat;
  /** For the usage of a provider that reports none, or reports it late: clients show by it how full the context is. */
  estimateInputTokens(): number;
}

export function createOrderedWriter({
  call,
  facts,
  stream,
  format,
  estimateInputTokens,
}: OrderedOutput): CompletionWriter {
  const states = createChoiceStates(call, { choices: 1, choosesFunction: false }, facts);
  let model = call.model;
  let isStarted = false;
  const usage = (outputTokens: number): TokenUsage =>
    facts.usage ?? { ...noUsage, freshInputTokens: estimateInputTokens(), outputTokens };
  const start = () => {
    if (isStarted || isOver(facts)) return;
    isStarted = true;
    facts.started = true;
    format.start({ model, usage: usage(0) });
  };
  const startedFormat: OrderedFormat = {
    ...format,
    begin(part) {
      start();
      return format.begin(part);
    },
  };
  let choice: OrderedChoice | null = null;
  const end = () => {
    if (isOver(facts) || choice === null) return;
    const [closed] = states.close() ?? [];
    if (closed === undefined) return;
    start();
    const { reason, index } = closed;
    const isCutOff = reason === 'length' || reason === 'content_filter';
    const { invalidTool, isRefusal, stopSequence } = choice.close(isCutOff);
    if (invalidTool !== null && !isCutOff) {
      facts.error = invalidArgumentsError(call, invalidTool);
      return;
    }
    const { finish, toolCalls } = states.get(index);
    format.end({
      reason,
      word: finish?.word ?? '',
      hasCalls: toolCalls > 0,
      isRefusal,
      stopSequence,
      usage: usage(estimateTokens(facts.textBytes ?? 0)),
    });
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
      choice ??= createOrderedChoice(states.get(index), {
        call,
        facts,
        format: startedFormat,
        // A stream begins as soon as the provider does, and a whole response with its content.
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
      if (!isOver(facts)) format.ping();
    },
    end,
    endWhole() {
      if (isOver(facts)) return;
      states.finishOpen();
      end();
    },
    take: format.take,
  };
}

/** The caller would run the tool with other arguments. */
function invalidArgumentsError({ provider }: ProviderCall, tool: string): StatedError {
  return new StatedError('provider_error', {
    message: `The provider ${provider} sent a call of the tool ${tool} whose arguments are not the JSON object that it takes`,
  });
}
