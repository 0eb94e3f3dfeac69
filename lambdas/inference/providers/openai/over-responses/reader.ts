/**
 * Reads a response of the Responses API into the sink, whole or as the events of a stream.
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { CompletionSink, CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { findErrorInBody } from '#lambdas/inference/providers/errors.ts';
import type { NativeOrigin } from '#lambdas/inference/providers/native/origin.ts';
import type { ReadPayload } from '#lambdas/inference/providers/translation/response-reader.ts';
import {
  withCallerToolNames,
  withProviderToolNames,
} from '#lambdas/inference/providers/translation/tool-names.ts';
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  numberOr,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { toolNameRule } from '../conversion/tools.ts';
import { hasKnownTier } from '../normalize-completion.ts';
import { createFactsReader, isResponse } from '../responses/facts.ts';
import { readSentError } from './errors.ts';
import { createItemReader, type ItemReader } from './item-readers.ts';

interface Reading {
  origin: NativeOrigin;
  request: CompletionRequest;
  writer: CompletionWriter;
  /** Called with the response as a whole. */
  onFinal(): void;
}

const finalTypes: readonly string[] = [
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
];

export function createResponsesReader({ origin, request, writer, onFinal }: Reading): ReadPayload {
  const sink = withCallerToolNames(writer, request, toolNameRule);
  const known = startReaderFacts();
  const factsReader = createFactsReader({ origin, facts: known });
  const items = createItems(sink, request);
  const bill = () => {
    const { serviceTier, usage, usageWarnings, pricingGaps, reportedCostUsd, unitCounts } = known;
    sink.billing({ serviceTier, usage, usageWarnings, pricingGaps, reportedCostUsd });
    if (unitCounts !== undefined) writer.facts.unitCounts = unitCounts;
  };
  const identify = ({ id, model, created_at: created }: JsonObject) =>
    sink.identify({ id: stringOrEmpty(id), model: stringOrEmpty(model), created: numberOr(created, 0) });
  const errorIn = (data: JsonObject) => readSentError(data, { ...origin, request });

  const readFinal = (response: JsonObject, isFailed: boolean) => {
    onFinal();
    identify(response);
    for (const [index, item] of filterObjects(response.output).entries()) items.finish(index, item);
    factsReader.readFinal(response);
    bill();
    const { status, error, service_tier: tier, incomplete_details: details } = response;
    if (isFailed || status === 'failed' || isJsonObject(error)) return sink.fail(errorIn({ error }));
    if (tier !== undefined && hasKnownTier(response)) sink.fields({ service_tier: tier });
    const word = stringOrEmpty(objectOrEmpty(details).reason) || stringOrEmpty(status);
    if (word !== '') sink.choice(0).finish(word);
  };
  return (data, eventType) => {
    const type = stringOrEmpty(data.type) || eventType;
    if (!type.startsWith('response.')) {
      if (isResponse(data)) readFinal(data, false);
      else if (type === 'error' || findErrorInBody(data, origin) !== null) sink.fail(errorIn(data));
      return;
    }
    const response = objectOrEmpty(data.response);
    if (finalTypes.includes(type)) {
      readFinal(response, type === 'response.failed');
      writer.endWhole();
      return;
    }
    factsReader.readEvent(type, data);
    if (isJsonObject(data.response)) identify(response);
    else items.read(type.slice('response.'.length), data);
    if (type === 'response.output_item.done') bill();
  };
}

interface Items {
  /** Reads an event of a stream within an item, or about its start or end. */
  read(name: string, event: JsonObject): void;
  /** `index` is that in the output. */
  finish(index: number, item: JsonObject): void;
}

function createItems(sink: CompletionSink, request: CompletionRequest): Items {
  const readers = new Map<number, ItemReader>();
  const finished = new Set<number>();
  const { tools } = withProviderToolNames(request, toolNameRule);
  const customTools = new Set(tools.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : [])));
  const start = (index: number, item: JsonObject): ItemReader => {
    const choice = sink.choice(0);
    const reader = createItemReader(item, {
      choice,
      fail: sink.fail,
      offersCustomTool: (name) => customTools.has(name),
    });
    readers.set(index, reader);
    return reader;
  };
  const finish = (index: number, item: JsonObject) => {
    if (finished.has(index)) return;
    finished.add(index);
    (readers.get(index) ?? start(index, item)).finish(item);
  };
  return {
    finish,
    read(name, event) {
      const { item } = event;
      const index = numberOr(event.output_index, readers.size - 1);
      if (name === 'output_item.done') finish(index, objectOrEmpty(item));
      else if (name === 'output_item.added') {
        // Before it, an error can still be an HTTP error, by whose status clients decide whether to repeat the request.
        sink.choice(0).begin();
        if (!readers.has(index)) start(index, objectOrEmpty(item));
      } else if (!finished.has(index)) readers.get(index)?.read(name, event);
    },
  };
}
