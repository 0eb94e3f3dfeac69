/** A whole answer in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/object */
import type { JsonObject } from '../../domain/json.ts';
import { type TokenUsage, toOpenAiUsage } from '../../domain/usage.ts';
import { type Answer, type AnswerFacts, noFacts, type ProviderCall } from '../provider.ts';
import {
  type ChoiceSink,
  type CompletionSink,
  type FinishReason,
  madeUpCallId,
  standInIdentity,
} from './completion-sink.ts';

export interface WholeCompletion extends CompletionSink {
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
  return {
    identify({ id, model }) {
      identity.id = id ?? identity.id;
      identity.model = model ?? identity.model;
      facts.responseModel = model ?? facts.responseModel;
    },
    choice(index) {
      const draft = drafts.get(index) ?? startChoice();
      drafts.set(index, draft);
      return choiceSink({ draft, index, call });
    },
    usage(usage: TokenUsage) {
      facts.usage = usage;
    },
    answer() {
      const choices = [...drafts].sort(([left], [right]) => left - right).map(toChoice);
      facts.finishReason = choices.find(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? null;
      const { id, created, model } = identity;
      const usage = facts.usage === null ? {} : { usage: toOpenAiUsage(facts.usage) };
      const answer = { id, object: 'chat.completion', created, model, choices, ...usage };
      return { body: Buffer.from(JSON.stringify(answer)), facts };
    },
  };
}

function startChoice(): ChoiceDraft {
  return { text: [], reasoning: [], refusal: [], toolCalls: [], extra: {}, finishReason: null };
}

function choiceSink({
  draft,
  index,
  call,
}: {
  draft: ChoiceDraft;
  index: number;
  call: ProviderCall;
}): ChoiceSink {
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
      for (const [name, value] of Object.entries(fields)) {
        const before = draft.extra[name];
        draft.extra[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
      }
    },
    finish(reason) {
      draft.finishReason ??= reason;
    },
  };
}

function toChoice([index, draft]: [number, ChoiceDraft]) {
  const { reasoning, refusal, toolCalls, extra, finishReason } = draft;
  return {
    index,
    message: {
      role: 'assistant',
      content: contentOf(draft),
      refusal: refusal.length === 0 ? null : refusal.join(''),
      ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
      ...extra,
    },
    logprobs: null,
    finish_reason: toolCalls.length > 0 && finishReason === 'stop' ? 'tool_calls' : finishReason,
  };
}

/** No text beside a call or a refusal is `null`; an answer that is empty is an empty text. */
function contentOf({ text, toolCalls, refusal }: ChoiceDraft): string | null {
  return text.length === 0 && toolCalls.length + refusal.length > 0 ? null : text.join('');
}
