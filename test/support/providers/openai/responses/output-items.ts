/**
 * Items of a response, as they are added to a stream, as they end, and the events in between.
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { Item } from './turns.ts';

interface Context {
  id: string;
  encryptedContent: string;
  /** Whether the request asks for the encrypted reasoning. */
  includesEncrypted: boolean;
}

const prefixes: Record<Item['type'], string> = {
  message: 'msg',
  refusal: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  compaction: 'cmp',
  web_search_call: 'ws',
  file_search_call: 'fs',
  code_interpreter_call: 'ci',
};

export function itemId(type: Item['type'], suffix: string): string {
  return `${prefixes[type]}_${suffix}`;
}

/** The item in the final output, and when its stream ends. */
export function finishedItem(item: Item, { id, encryptedContent, includesEncrypted }: Context): JsonObject {
  const finished = { id, type: item.type, status: 'completed' };
  switch (item.type) {
    case 'message': {
      const { phase } = item;
      return {
        ...finished,
        content: [textPart(item)],
        ...(phase !== undefined && { phase }),
        role: 'assistant',
      };
    }
    case 'refusal':
      return { ...finished, type: 'message', content: [refusalPart(item.refusal)], role: 'assistant' };
    case 'reasoning': {
      const encrypted = includesEncrypted ? { encrypted_content: encryptedContent } : {};
      return { id, type: 'reasoning', ...encrypted, summary: [item.summary].flat().map(summaryPart) };
    }
    case 'function_call':
      return {
        ...finished,
        arguments: item.arguments,
        call_id: item.call_id,
        name: item.name,
        ...namespaceOf(item),
      };
    case 'custom_tool_call':
      return { ...finished, call_id: item.call_id, input: item.input, name: item.name, ...namespaceOf(item) };
    case 'compaction':
      return { id, type: 'compaction', encrypted_content: encryptedContent };
    case 'web_search_call':
      return { ...finished, action: { type: 'search', queries: [item.query], query: item.query } };
    case 'file_search_call':
      return { ...finished, queries: item.queries, results: null };
    case 'code_interpreter_call': {
      const { code, container_id, logs } = item;
      return { ...finished, code, container_id, outputs: [{ type: 'logs', logs }] };
    }
    default:
      return item satisfies never;
  }
}

/** The item when it is added, before its events. */
export function addedItem(item: Item, context: Context): JsonObject {
  const added = { ...finishedItem(item, context), status: 'in_progress' };
  switch (item.type) {
    case 'message':
    case 'refusal':
      return { ...added, content: [] };
    case 'reasoning':
      return { ...finishedItem(item, context), summary: [] };
    case 'compaction':
      return finishedItem(item, context);
    case 'function_call':
      return { ...added, arguments: '' };
    case 'custom_tool_call':
      return { ...added, input: '' };
    case 'web_search_call':
      return { ...added, action: { type: 'search' } };
    case 'file_search_call':
      return { ...added, queries: [] };
    case 'code_interpreter_call':
      return { ...added, code: '', outputs: [] };
    default:
      return item satisfies never;
  }
}

/** Without the fields that all events of an item have. */
export function innerEvents(item: Item): JsonObject[] {
  switch (item.type) {
    case 'message': {
      const part = textPart(item);
      const text = { content_index: 0, logprobs: [] };
      return [
        partEvent('content_part.added', { ...part, annotations: [], text: '' }),
        ...deltaEvents('output_text.delta', item.text, text),
        ...part.annotations.map((annotation, annotation_index) => ({
          type: 'response.output_text.annotation.added',
          content_index: 0,
          annotation_index,
          annotation,
        })),
        { type: 'response.output_text.done', ...text, text: item.text },
        partEvent('content_part.done', part),
      ];
    }
    case 'refusal':
      return [
        partEvent('content_part.added', refusalPart('')),
        ...deltaEvents('refusal.delta', item.refusal, { content_index: 0 }),
        { type: 'response.refusal.done', content_index: 0, refusal: item.refusal },
        partEvent('content_part.done', refusalPart(item.refusal)),
      ];
    case 'reasoning':
      return [item.summary]
        .flat()
        .flatMap((text, summary_index) => [
          { type: 'response.reasoning_summary_part.added', summary_index, part: summaryPart('') },
          ...deltaEvents('reasoning_summary_text.delta', text, { summary_index }),
          { type: 'response.reasoning_summary_text.done', summary_index, text },
          { type: 'response.reasoning_summary_part.done', summary_index, part: summaryPart(text) },
        ]);
    case 'function_call': {
      const { arguments: json, name } = item;
      return [
        ...deltaEvents('function_call_arguments.delta', json),
        { type: 'response.function_call_arguments.done', arguments: json, name },
      ];
    }
    case 'custom_tool_call':
      return [
        ...deltaEvents('custom_tool_call_input.delta', item.input),
        { type: 'response.custom_tool_call_input.done', input: item.input },
      ];
    case 'compaction':
      return [];
    case 'web_search_call':
    case 'file_search_call':
      return ['in_progress', 'searching', 'completed'].map((state) => ({
        type: `response.${item.type}.${state}`,
      }));
    case 'code_interpreter_call':
      return [
        { type: 'response.code_interpreter_call.in_progress' },
        ...deltaEvents('code_interpreter_call_code.delta', item.code),
        { type: 'response.code_interpreter_call_code.done', code: item.code },
        { type: 'response.code_interpreter_call.interpreting' },
        { type: 'response.code_interpreter_call.completed' },
      ];
    default:
      return item satisfies never;
  }
}

function textPart({ text, annotations = [] }: { text: string; annotations?: readonly JsonObject[] }) {
  return { type: 'output_text', annotations, logprobs: [], text };
}

function namespaceOf({ namespace }: { namespace?: string }): JsonObject {
  return namespace === undefined ? {} : { namespace };
}

function refusalPart(refusal: string): JsonObject {
  return { type: 'refusal', refusal };
}

function summaryPart(text: string): JsonObject {
  return { type: 'summary_text', text };
}

function partEvent(name: string, part: JsonObject): JsonObject {
  return { type: `response.${name}`, content_index: 0, part };
}

function deltaEvents(name: string, text: string, fields: JsonObject = {}): JsonObject[] {
  const deltas = text.match(/[\s\S]{1,12}/g) ?? [];
  return deltas.map((delta) => ({ type: `response.${name}`, ...fields, delta, obfuscation: 'aB3xY' }));
}
