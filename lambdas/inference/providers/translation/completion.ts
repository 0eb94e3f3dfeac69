/** Builds a non-streaming response in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/object */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { type TokenUsage, toOpenAiUsage } from '#lambdas/pricing/usage.ts';
import { type Completion, noFacts, type ProviderCall, type ResponseFacts } from '../provider.ts';
import { redact } from '../redact.ts';
import {
  type ChoiceSink,
  type CompletionIdentity,
  type CompletionSink,
  defaultArguments,
  type FinishReason,
  placeholderCallId,
  placeholderIdentity,
  shownFinishReason,
} from './sink.ts';

export interface CompletionBuilder extends CompletionSink {
  /** Holds an error when the provider failed or sent no choice. */
  build(): Completion;
}

export function createCompletionBuilder(call: ProviderCall): CompletionBuilder {
  const identity = placeholderIdentity(call);
  const started = new Map<number, WholeChoice>();
  const facts: ResponseFacts = { ...noFacts };
  let error: GatewayError | null = null;
  return {
    identify({ id, model }) {
      identity.id = redact(id || identity.id, call.apiKey);
      identity.model = redact(model || identity.model, call.apiKey);
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
    reportedCost(usd) {
      facts.reportedCostUsd = usd;
    },
    fail(failure) {
      error ??= failure;
    },
    build() {
      const inOrder = [...started].sort(([left], [right]) => left - right);
      const choices = inOrder.map(([, choice]) => choice.written());
      const [first] = choices;
      if (first === undefined || error !== null) {
        return { body: Buffer.alloc(0), facts, error: error ?? withoutChoice() };
      }
      facts.finishReason = first.finish_reason;
      return { body: completionBody(identity, choices, facts.usage), facts };
    },
  };
}

function completionBody(
  { id, created, model }: CompletionIdentity,
  choices: readonly object[],
  usage: TokenUsage | null,
): Buffer {
  const shownUsage = usage === null ? {} : { usage: toOpenAiUsage(usage) };
  return Buffer.from(
    JSON.stringify({ id, object: 'chat.completion', created, model, choices, ...shownUsage }),
  );
}

function withoutChoice(): GatewayError {
  return new GatewayError('provider_error', { message: 'The provider sent an answer without a choice' });
}

interface WholeChoice extends ChoiceSink {
  written(): JsonObject & { finish_reason: FinishReason };
}

interface ToolCallDraft {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

interface ChoiceDraft {
  text: string[];
  reasoning: string[];
  refusal: string[];
  toolCalls: ToolCallDraft[];
  extra: JsonObject;
  finishReason: FinishReason | null;
}

function createWholeChoice(index: number, call: ProviderCall): WholeChoice {
  const draft: ChoiceDraft = {
    text: [],
    reasoning: [],
    refusal: [],
    toolCalls: [],
    extra: {},
    finishReason: null,
  };
  return {
    begin() {},
    text: (piece) => void draft.text.push(piece),
    reasoning: (piece) => void draft.reasoning.push(piece),
    refusal: (piece) => void draft.refusal.push(piece),
    toolCall({ id, name, extra }) {
      const toolCall: ToolCallDraft = {
        id: id || placeholderCallId(call, index, draft.toolCalls.length),
        type: 'function',
        function: { name, arguments: '' },
        ...extra,
      };
      draft.toolCalls.push(toolCall);
      return {
        arguments(piece) {
          toolCall.function.arguments += piece;
        },
      };
    },
    extra(fields) {
      draft.extra = joined(draft.extra, fields);
    },
    finish(reason) {
      draft.finishReason ??= reason;
    },
    written: () => writeChoice(index, draft),
  };
}

/** The last value counts, but lists of the same name are concatenated. */
function joined(before: JsonObject, fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).map(([name, value]) => {
    const list = Object.hasOwn(before, name) ? before[name] : undefined;
    return [name, Array.isArray(list) && Array.isArray(value) ? [...list, ...value] : value];
  });
  return { ...before, ...Object.fromEntries(entries) };
}

/** A non-streaming response without a finish reason has stopped normally. */
function writeChoice(index: number, draft: ChoiceDraft) {
  const { toolCalls, extra, finishReason } = draft;
  const shown = shownFinishReason(finishReason ?? 'stop', toolCalls.length);
  const [text, reasoning, refusal] = [draft.text, draft.reasoning, draft.refusal].map((it) => it.join(''));
  return {
    index,
    message: {
      role: 'assistant',
      // Without text the content is `null` beside a call or a refusal, and otherwise empty.
      content: text || (toolCalls.length > 0 || refusal ? null : ''),
      refusal: refusal || null,
      ...(reasoning && { reasoning_content: reasoning }),
      ...(toolCalls.length > 0 && {
        tool_calls: toolCalls.map((toolCall) => withArguments(toolCall, shown)),
      }),
      ...extra,
    },
    logprobs: null,
    finish_reason: shown,
  };
}

function withArguments(toolCall: ToolCallDraft, shown: FinishReason): ToolCallDraft {
  const callee = toolCall.function;
  return {
    ...toolCall,
    function: { ...callee, arguments: callee.arguments || defaultArguments(shown) },
  };
}
