/** Builds a non-streaming response in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/object */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { TokenUsage } from '#lambdas/pricing/usage.ts';
import { type Completion, noFacts, type ProviderCall, type ResponseFacts } from '../provider.ts';
import { redact } from '../redact.ts';
import { toOpenAiUsage } from './openai-usage.ts';
import {
  type ChoiceSink,
  type CompletionIdentity,
  type CompletionSink,
  defaultArguments,
  type FinishReason,
  placeholderCallId,
  placeholderIdentity,
  resolveFinishReason,
} from './sink.ts';

export interface CompletionBuilder extends CompletionSink {
  build(): Completion;
}

export function createCompletionBuilder(call: ProviderCall): CompletionBuilder {
  const identity = placeholderIdentity(call);
  const choices = new Map<number, ChoiceBuilder>();
  const facts: ResponseFacts = { ...noFacts };
  let error: GatewayError | null = null;
  return {
    identify({ id, model }) {
      identity.id = redact(id || identity.id, call.apiKey);
      identity.model = redact(model || identity.model, call.apiKey);
      facts.responseModel = model || facts.responseModel;
    },
    choice(index) {
      const choice = choices.get(index) ?? createChoiceBuilder(index, call);
      choices.set(index, choice);
      return choice;
    },
    billing(billing) {
      Object.assign(facts, billing);
    },
    fail(failure) {
      error ??= failure;
    },
    build() {
      const inOrder = [...choices].sort(([left], [right]) => left - right);
      const built = inOrder.map(([, choice]) => choice.build());
      const [first] = built;
      if (first === undefined || error !== null) {
        return { body: Buffer.alloc(0), facts, error: error ?? missingChoicesError() };
      }
      facts.finishReason = first.finish_reason;
      return { body: completionBody(identity, built, facts.usage), facts };
    },
  };
}

function completionBody(
  { id, created, model }: CompletionIdentity,
  choices: readonly object[],
  usage: TokenUsage | null,
): Buffer {
  const usageField = usage === null ? {} : { usage: toOpenAiUsage(usage) };
  return Buffer.from(
    JSON.stringify({ id, object: 'chat.completion', created, model, choices, ...usageField }),
  );
}

function missingChoicesError(): GatewayError {
  return new GatewayError('provider_error', { message: "The provider's response has no choices" });
}

interface ChoiceBuilder extends ChoiceSink {
  build(): JsonObject & { finish_reason: FinishReason };
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

function createChoiceBuilder(index: number, call: ProviderCall): ChoiceBuilder {
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
    text: (delta) => void draft.text.push(delta),
    reasoning: (delta) => void draft.reasoning.push(delta),
    refusal: (delta) => void draft.refusal.push(delta),
    toolCall({ id, name, extra }) {
      const toolCall: ToolCallDraft = {
        id: id || placeholderCallId(call, index, draft.toolCalls.length),
        type: 'function',
        function: { name, arguments: '' },
        ...extra,
      };
      draft.toolCalls.push(toolCall);
      return {
        arguments(delta) {
          toolCall.function.arguments += delta;
        },
      };
    },
    extra(fields) {
      draft.extra = mergeFields(draft.extra, fields);
    },
    finish(reason) {
      draft.finishReason ??= reason;
    },
    build: () => buildChoice(index, draft),
  };
}

function mergeFields(existing: JsonObject, fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).map(([name, value]) => {
    const list = Object.hasOwn(existing, name) ? existing[name] : undefined;
    return [name, Array.isArray(list) && Array.isArray(value) ? [...list, ...value] : value];
  });
  return { ...existing, ...Object.fromEntries(entries) };
}

function buildChoice(index: number, draft: ChoiceDraft) {
  const { toolCalls, extra } = draft;
  const finishReason = resolveFinishReason(draft.finishReason ?? 'stop', toolCalls.length);
  const [text, reasoning, refusal] = [draft.text, draft.reasoning, draft.refusal].map((deltas) =>
    deltas.join(''),
  );
  return {
    index,
    message: {
      role: 'assistant',
      // Like OpenAI: `null` beside a tool call or a refusal, and otherwise empty.
      content: text || (toolCalls.length > 0 || refusal ? null : ''),
      refusal: refusal || null,
      ...(reasoning && { reasoning_content: reasoning }),
      ...(toolCalls.length > 0 && {
        tool_calls: toolCalls.map((toolCall) => withArguments(toolCall, finishReason)),
      }),
      ...extra,
    },
    logprobs: null,
    finish_reason: finishReason,
  };
}

function withArguments(toolCall: ToolCallDraft, finishReason: FinishReason): ToolCallDraft {
  const { name, arguments: text } = toolCall.function;
  return { ...toolCall, function: { name, arguments: text || defaultArguments(finishReason) } };
}
