/** A whole answer in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/object */
import { GatewayError } from '../../domain/gateway-error.ts';
import { type TokenUsage, toOpenAiUsage } from '../../domain/usage.ts';
import { type Answer, type AnswerFacts, noFacts, type ProviderCall } from '../provider.ts';
import { type AnswerIdentity, type CompletionSink, standInIdentity } from './completion-sink.ts';
import { createWholeChoice, type WholeChoice } from './whole-choice.ts';

export interface WholeCompletion extends CompletionSink {
  /** Holds a problem when the provider failed, or has sent no choice. */
  answer(): Answer;
}

export function createWholeCompletion(call: ProviderCall): WholeCompletion {
  const identity = standInIdentity(call);
  const started = new Map<number, WholeChoice>();
  const facts: AnswerFacts = { ...noFacts };
  let problem: GatewayError | null = null;
  return {
    identify({ id, model }) {
      identity.id = id || identity.id;
      identity.model = model || identity.model;
      facts.responseModel = model || facts.responseModel;
    },
    choice(index) {
      const choice = started.get(index) ?? createWholeChoice(index, call);
      started.set(index, choice);
      return choice;
    },
    usage(usage) {
      facts.usage = usage;
    },
    statedCost(usd) {
      facts.statedCostUsd = usd;
    },
    fail(failure) {
      problem ??= failure;
    },
    answer() {
      const inOrder = [...started].sort(([left], [right]) => left - right);
      const choices = inOrder.map(([, choice]) => choice.written());
      const [first] = choices;
      if (first === undefined || problem !== null) {
        return { body: Buffer.alloc(0), facts, problem: problem ?? withoutChoice() };
      }
      facts.finishReason = first.finish_reason;
      return { body: asBody({ identity, choices, usage: facts.usage }), facts };
    },
  };
}

interface Completion {
  identity: AnswerIdentity;
  choices: readonly object[];
  usage: TokenUsage | null;
}

function asBody({ identity: { id, created, model }, choices, usage }: Completion): Buffer {
  const shownUsage = usage === null ? {} : { usage: toOpenAiUsage(usage) };
  return Buffer.from(
    JSON.stringify({ id, object: 'chat.completion', created, model, choices, ...shownUsage }),
  );
}

function withoutChoice(): GatewayError {
  return new GatewayError('provider_error', { message: 'The provider sent an answer without a choice' });
}
