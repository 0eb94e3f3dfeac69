/** Read one item of a response, from the events of a stream or at once. https://platform.openai.com/docs/api-reference/responses-streaming */
import { StatedError } from '#lambdas/inference/completion/facts.ts';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import { serialize } from '#lambdas/inference/providers/serialize.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { filterObjects, isJsonObject, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { isCall } from '../responses/output-items.ts';
import { readLogprobs, urlCitations } from './message-fields.ts';
import { phasePayload, reasoningPayload } from './payloads.ts';
import { createTextParts } from './text-parts.ts';

export interface ItemReader {
  /** Reads an event within the item. `name` is its type without `response.`. */
  read(name: string, event: JsonObject): void;
  /** Reads the whole item, of which events may have had parts. */
  finish(item: JsonObject): void;
}

interface ItemContext {
  choice: ChoiceSink;
  /** Ends the response with an error. */
  fail(error: GatewayError): void;
  /** Whether the caller offers a custom tool with this name: servers list those that they run themselves, too. */
  offersCustomTool(name: string): boolean;
}

export function createItemReader(item: JsonObject, context: ItemContext): ItemReader {
  switch (item.type) {
    case 'message':
      return createMessageReader(context);
    case 'reasoning':
      return createReasoningReader(context);
    case 'function_call':
      return createCallReader(item, { ...context, isCustom: false });
    case 'custom_tool_call':
      return context.offersCustomTool(stringOrEmpty(item.name))
        ? createCallReader(item, { ...context, isCustom: true })
        : createOtherReader(context);
    default:
      return createOtherReader(context);
  }
}

function createMessageReader({ choice }: ItemContext): ItemReader {
  const texts = createTextParts((text) => choice.text(text));
  const refusals = createTextParts((text) => choice.refusal(text));
  const addLogprobs = (list: unknown) => {
    const content = readLogprobs(list);
    if (content.length > 0) choice.logprobs({ content });
  };
  const completeText = (index: unknown, text: unknown, logprobs: unknown) => {
    if (texts.complete(index, text)) addLogprobs(logprobs);
  };
  return {
    read(name, { content_index: index, delta, text, refusal, logprobs }) {
      if (name === 'output_text.delta') {
        texts.add(index, delta);
        addLogprobs(logprobs);
      } else if (name === 'output_text.done') completeText(index, text, logprobs);
      else if (name === 'refusal.delta') refusals.add(index, delta);
      else if (name === 'refusal.done') refusals.complete(index, refusal);
    },
    finish(item) {
      const parts = filterObjects(item.content);
      for (const [index, { type, text, refusal, logprobs }] of parts.entries()) {
        if (type === 'refusal') refusals.complete(index, refusal);
        else completeText(index, text, logprobs);
      }
      const annotations = parts.flatMap(urlCitations);
      if (annotations.length > 0) choice.extra({ annotations });
      const payload = phasePayload(item);
      if (payload !== null) choice.signature(payload);
    },
  };
}

/** Reads a summary or, from a server that shows all of its reasoning, the text of it; not both, which say the same. */
function createReasoningReader({ choice }: ItemContext): ItemReader {
  let hasText = false;
  const write = (text: string) => {
    hasText = true;
    choice.reasoning(text);
  };
  const separator = '\n\n';
  const summaries = createTextParts(write, separator);
  const contents = createTextParts(write, separator);
  return {
    read(name, { summary_index: summary, content_index: content, delta, text }) {
      if (name === 'reasoning_summary_text.delta') summaries.add(summary, delta);
      else if (name === 'reasoning_summary_text.done') summaries.complete(summary, text);
      else if (summaries.isEmpty() && name === 'reasoning_text.delta') contents.add(content, delta);
      else if (summaries.isEmpty() && name === 'reasoning_text.done') contents.complete(content, text);
    },
    finish(item) {
      const isSummarized = contents.isEmpty() && filterObjects(item.summary).length > 0;
      const [parts, list] = isSummarized ? [summaries, item.summary] : [contents, item.content];
      if (isSummarized || summaries.isEmpty()) {
        for (const [index, { text }] of filterObjects(list).entries()) parts.complete(index, text);
      }
      const payload = reasoningPayload(item);
      if (hasText || payload !== null) choice.signature(payload);
    },
  };
}

/** Some servers send a call without the events within it. */
function createCallReader(
  start: JsonObject,
  { choice, isCustom }: ItemContext & { isCustom: boolean },
): ItemReader {
  const call = choice.toolCall({
    id: stringOrEmpty(start.call_id) || stringOrEmpty(start.id),
    name: stringOrEmpty(start.name),
    namespace: typeof start.namespace === 'string' ? start.namespace : null,
    isCustom,
  });
  const input = createTextParts((text) => call.arguments(text));
  const inputOf = ({ arguments: json, input: text }: JsonObject) => {
    if (isCustom) return text;
    return isJsonObject(json) ? serialize(json) : json;
  };
  return {
    read(name, event) {
      if (name === 'function_call_arguments.delta' || name === 'custom_tool_call_input.delta')
        input.add(0, event.delta);
      else if (name === 'function_call_arguments.done' || name === 'custom_tool_call_input.done')
        input.complete(0, inputOf(event));
    },
    finish: (item) => void input.complete(0, inputOf(item)),
  };
}

/** An item for which the neutral form has no place, such as a search, apart from an image. */
function createOtherReader({ choice, fail }: ItemContext): ItemReader {
  return {
    read() {},
    finish(item) {
      const { type, result, output_format: format } = item;
      if (type !== 'custom_tool_call' && isCall(item)) return fail(unknownCallError(stringOrEmpty(type)));
      const isImage = type === 'image_generation_call' && typeof result === 'string' && result !== '';
      if (isImage) choice.media({ mediaType: `image/${stringOrEmpty(format) || 'png'}`, data: result });
      else choice.omit();
    },
  };
}

/** The caller would take the response for one without the call. */
function unknownCallError(type: string): StatedError {
  return new StatedError('provider_error', {
    message: `The response contains a ${type}, which the format of this request does not have: use POST /ai/responses`,
  });
}
