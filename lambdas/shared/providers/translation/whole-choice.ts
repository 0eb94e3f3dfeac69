/** One choice of a whole answer: its pieces, joined. */
import type { JsonObject } from '../../domain/json.ts';
import type { ProviderCall } from '../provider.ts';
import {
  argumentsWithoutPieces,
  type ChoiceSink,
  type FinishReason,
  madeUpCallId,
  shownFinishReason,
} from './completion-sink.ts';

export interface WholeChoice extends ChoiceSink {
  /** As the caller will see it. */
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

export function createWholeChoice(index: number, call: ProviderCall): WholeChoice {
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
    written: () => writeChoice(index, draft),
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
function writeChoice(index: number, draft: ChoiceDraft) {
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
