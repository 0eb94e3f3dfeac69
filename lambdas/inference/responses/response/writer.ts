/** Writes a completion in the format of the Responses API, as the events of a stream or as a whole response. */
import { isOver, type ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type { ToolName } from '#lambdas/inference/completion/tools.ts';
import type { Failure } from '#lambdas/inference/operation.ts';
import type { Ending, OrderedFormat } from '#lambdas/inference/ordered-output/format.ts';
import { createOrderedWriter } from '#lambdas/inference/ordered-output/writer.ts';
import { createByteAccumulator } from '#lambdas/inference/providers/http/sse.ts';
import type { CallContext, CreateWriter } from '#lambdas/inference/providers/provider.ts';
import { serialize } from '#lambdas/inference/providers/serialize.ts';
import { secondMs } from '#lambdas/platform/duration.ts';
import { sseComment } from '#lambdas/platform/http/event-stream.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { gatewayId } from '../ids.ts';
import type { EventType, OutputItem } from './events.ts';
import { createItemWriter } from './items.ts';
import { repeatedFields, serviceTierOf } from './response.ts';
import { toResponseUsage } from './usage.ts';

export interface RequestedResponse {
  stream: boolean;
  /** The body of the request. */
  body: JsonObject;
  customTools: readonly ToolName[];
  estimateInputTokens(): number;
  /** Called with what renders an error within the stream. */
  onRenderer(renderer: RenderFailure): void;
}

export type RenderFailure = (failure: Failure) => Buffer;

export function createResponsesWriter(requested: RequestedResponse): CreateWriter {
  const { stream, estimateInputTokens, onRenderer } = requested;
  return (call, facts) => {
    const { format, renderFailure } = createResponseFormat(call, facts, requested);
    onRenderer(renderFailure);
    return createOrderedWriter({ call, facts, stream, format, estimateInputTokens });
  };
}

interface ResponseFormat {
  format: OrderedFormat;
  renderFailure: RenderFailure;
}

export function createResponseFormat(
  { provider, model: requestedModel, requestId, receivedAtMs, now }: CallContext,
  facts: ReaderFacts,
  { stream, body, customTools }: Pick<RequestedResponse, 'stream' | 'body' | 'customTools'>,
): ResponseFormat {
  const bytes = createByteAccumulator();
  const output: OutputItem[] = [];
  const repeated = repeatedFields(body);
  const id = gatewayId('resp', requestId);
  const custom = new Set(customTools.map(keyOf));
  let model = requestedModel;
  let sequenceNumber = 0;
  const responseOf = (state: JsonObject): JsonObject => ({
    id,
    object: 'response',
    created_at: toSeconds(receivedAtMs),
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model,
    output,
    usage: null,
    service_tier: serviceTierOf(facts.serviceTier),
    ...repeated,
    ...state,
  });
  /** Copies no fields, since a stream has an event for each token. */
  const toBytes = (type: EventType, fields: JsonObject, outputIndex?: number): Buffer => {
    const position = outputIndex === undefined ? '' : `"output_index":${outputIndex},`;
    const start = `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequenceNumber},${position}`;
    sequenceNumber += 1;
    return Buffer.from(`${start}${serialize(fields).slice(1)}\n\n`);
  };
  const write = (type: EventType, fields: JsonObject, outputIndex?: number) => {
    if (!isOver(facts) && stream) bytes.add(toBytes(type, fields, outputIndex));
  };
  const endWith = (response: JsonObject) => {
    if (stream) write(`response.${String(response.status)}`, { response });
    else bytes.add(Buffer.from(serialize(response)));
  };
  let begunItems = 0;
  const format: OrderedFormat = {
    noun: 'a response',
    refusalKind: 'refusal',
    start(started) {
      model = started.model;
      facts.responseId = id;
      write('response.created', { response: responseOf({}) });
      write('response.in_progress', { response: responseOf({}) });
    },
    begin(part) {
      const position = begunItems;
      begunItems += 1;
      return createItemWriter(part, {
        write: (type, fields) => write(type, fields, position),
        idOf: (kind) => gatewayId(kind, `${requestId}_${position}`),
        isCustom: (tool) => custom.has(keyOf(tool)),
        done(item) {
          if (isOver(facts)) return;
          output.push(item);
          write('response.output_item.done', { item }, position);
        },
      });
    },
    signatureOf: (owner, payload) => writeSignature({ provider, owner, payload }),
    end: (ending) =>
      endWith(responseOf({ ...endOf(ending, now().getTime()), usage: toResponseUsage(ending.usage) })),
    ping() {
      if (stream) bytes.add(sseComment);
    },
    take: bytes.take,
  };
  return {
    format,
    renderFailure({ error }) {
      const { message, type, param, code } = error.toBody().error;
      const stated = { type, code, message, param };
      const failed = { status: 'failed', error: { code: failureCodeOf(error.status), message } };
      return Buffer.concat([
        toBytes('error', { code, message, param, error: stated }),
        toBytes('response.failed', { response: responseOf(failed) }),
      ]);
    },
  };
}

function keyOf({ name, namespace }: ToolName): string {
  return JSON.stringify([namespace, name]);
}

function toSeconds(ms: number): number {
  return Math.floor(ms / secondMs);
}

/** The fields of a response that has ended. */
function endOf({ reason }: Ending, nowMs: number): JsonObject {
  switch (reason) {
    case 'length':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    case 'content_filter':
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    case 'stop':
    case 'tool_calls':
    case 'function_call':
      return { status: 'completed', completed_at: toSeconds(nowMs) };
    default:
      return reason satisfies never;
  }
}

/** By it, clients decide whether to repeat the request: Codex does so except after `invalid_prompt`. */
function failureCodeOf(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  return status < 500 ? 'invalid_prompt' : 'server_error';
}
