/** A whole answer in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/object */
import { GatewayError } from '../../domain/gateway-error.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type TokenUsage, toOpenAiUsage } from '../../domain/usage.ts';
import { type Answer, type AnswerFacts, noFacts, type ProviderCall } from '../provider.ts';
import {
  type AnswerIdentity,
  argumentsWithoutPieces,
  type ChoiceSink,
  type CompletionSink,
  type FinishReason,
  madeUpCallId,
  shownFinishReason,
  standInIdentity,
} from './completion-sink.ts';

export interface WholeCompletion extends CompletionSink {
  /** Holds a problem when the provider failed, or has sent no choice. */
  answer(): Answer;
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

export function createWholeCompletion(call: ProviderCall): WholeCompletion {
  const identity = standInIdentity(call);
  const drafts = new Map<number, ChoiceDraft>();
  const facts: AnswerFacts = { ...noFacts };
  let problem: GatewayError | null = null;
  return {
    identify({ id, model }) {
      identity.id = id || identity.id;
      identity.model = model || identity.model;
      facts.responseModel = model || facts.responseModel;
    },
    choice(index) {
      const draft = drafts.get(index) ?? startChoice();
      drafts.set(index, draft);
      return choiceSink({ draft, index, call });
    },
    usage(usage: TokenUsage) {
      facts.usage = usage;
    },
    statedCost(usd) {
      facts.statedCostUsd = usd;
    },
    fail(failure) {
      problem ??= failure;
    },
    answer() {
      const choices = [...drafts].sort(([left], [right]) => left - right).map(toChoice);
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

function startChoice(): ChoiceDraft {
  return { text: [], reasoning: [], refusal: [], toolCalls: [], extra: {}, finishReason: null };
}

interface ChoicePlace {
  draft: ChoiceDraft;
  index: number;
  call: ProviderCall;
}

function choiceSink({ draft, index, call }: ChoicePlace): ChoiceSink {
  return {
    begin() {},
    text: (piece) => void draft.text.push(piece),
    reasoning: (piece) => void draft.reasoning.push(piece),
    refusal: (piece) => void draft.refusal.push(piece),
    toolCall({ id, name, extra }) {
      const toolCall: ToolCallDraft = {
        id: id || madeUpCallId(call, index, draft.toolCalls.length),
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
  };
}

/** The last word counts, but lists of the same name are joined. */
function joined(before: JsonObject, fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).map(([name, value]) => {
    const list = Object.hasOwn(before, name) ? before[name] : undefined;
    return [name, Array.isArray(list) && Array.isArray(value) ? [...list, ...value] : value];
  });
  return { ...before, ...Object.fromEntries(entries) };
}

/** A provider that gives no reason for the end of a whole answer has simply come to it. */
function toChoice([index, draft]: [number, ChoiceDraft]) {
  const { toolCalls, extra, finishReason } = draft;
  const shown = shownFinishReason(finishReason ?? 'stop', toolCalls.length);
  const [text, reasoning, refusal] = [draft.text, draft.reasoning, draft.refusal].map((it) => it.join(''));
  return {
    index,
    message: {
      role: 'assistant',
      // No text beside a call or a refusal is `null`; an answer that is empty is an empty text.
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
    function: { ...callee, arguments: callee.arguments || argumentsWithoutPieces(shown) },
  };
}
