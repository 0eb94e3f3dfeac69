/** The response to a request, whole and as the events of a stream. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { jsonResponse, type Respond, streamResponse } from '#test/support/providers/upstream-responses.ts';
import { addedItem, finishedItem, innerEvents, itemId } from './output-items.ts';
import type { ResponsesRequest } from './request.ts';
import type { Item, ResponseTurn, Turn } from './turns.ts';

interface Identity {
  requestId: string;
  /** As the provider names it in responses. */
  model: string;
  /** Fields of the provider's servers only, such as Azure's filters. */
  extraFields?: JsonObject;
}

/** Seconds since 1970. */
const createdAt = 1_767_225_600;

export function responseId(requestId: string): string {
  return requestId.replace('req', 'resp');
}

export function encryptedContentOf(model: string, id: string): string {
  return `gAAAAA-${Buffer.from(`${model} ${id}`).toString('base64url')}`;
}

export function respondWithTurn(turn: Turn, request: ResponsesRequest, identity: Identity): Respond {
  const ids = { 'x-request-id': identity.requestId };
  if (!('items' in turn))
    return jsonResponse({ error: turn.error }, { status: turn.status, headers: { ...ids, ...turn.headers } });
  const headers = {
    ...ids,
    'openai-organization': 'account-of-the-operator',
    'openai-processing-ms': '412',
    'openai-version': '2020-10-01',
    'x-ratelimit-remaining-requests': '3999',
  };
  const body = responseBody(turn, request, identity);
  if (typeof body === 'string') return jsonResponse(body, { headers });
  return streamResponse(pausedEvents(turn, body), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers },
    ending: turn.broken,
  });
}

/** The JSON of the response, or the events of its stream. */
export function responseBody(
  turn: ResponseTurn,
  request: ResponsesRequest,
  identity: Identity,
): string | string[] {
  if (request.stream !== true) return JSON.stringify(finalResponse(turn, request, identity), null, 2);
  return toEvents(turn, request, identity).map(
    (event, sequence_number) =>
      `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
}

async function* pausedEvents({ broken, resumed }: ResponseTurn, events: readonly string[]) {
  const first = events.findIndex((event) => /^event: .+delta\n/.test(event));
  for (const [at, event] of events.entries()) {
    if (broken !== undefined && at > first) return;
    yield event;
    if (at === first) await resumed;
  }
}

/** The output of the response, with the ids of its items. */
export function outputOf(turn: ResponseTurn, request: ResponsesRequest, identity: Identity): JsonObject[] {
  return turn.items.map((item, index) => finishedItem(item, contextOf(item, index, request, identity)));
}

function contextOf(item: Item, index: number, { include }: ResponsesRequest, identity: Identity) {
  const id = itemId(item.type, `${identity.requestId.slice('req_'.length)}${String(index).padStart(2, '0')}`);
  const includesEncrypted = include?.includes('reasoning.encrypted_content') === true;
  return { id, includesEncrypted, encryptedContent: encryptedContentOf(identity.model, id) };
}

function finalResponse(turn: ResponseTurn, request: ResponsesRequest, identity: Identity): JsonObject {
  const { incomplete, failure } = turn;
  const status = failure ? 'failed' : incomplete ? 'incomplete' : 'completed';
  return {
    ...emptyResponse(request, identity),
    status,
    completed_at: status === 'completed' ? createdAt + 1 : null,
    error: failure === undefined ? null : { code: failure.code, message: failure.message },
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    output: outputOf(turn, request, identity),
    usage: failure === undefined ? toUsage(turn) : null,
    service_tier: servedTier(request),
  };
}

function servedTier({ service_tier: tier }: ResponsesRequest): string {
  return tier === undefined || tier === null || tier === 'auto' ? 'default' : tier;
}

/** The response while nothing has been generated, with the fields that OpenAI's servers send. */
function emptyResponse(request: ResponsesRequest, { requestId, model, extraFields }: Identity): JsonObject {
  const {
    tools = [],
    reasoning,
    text,
    stream: _,
    input: __,
    include: ___,
    stream_options: ____,
    ...echoed
  } = request;
  return {
    id: responseId(requestId),
    object: 'response',
    created_at: createdAt,
    status: 'in_progress',
    background: false,
    billing: { payer: 'developer' },
    completed_at: null,
    error: null,
    frequency_penalty: 0,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    moderation: null,
    output: [],
    parallel_tool_calls: true,
    presence_penalty: 0,
    previous_response_id: null,
    prompt_cache_key: null,
    prompt_cache_retention: null,
    safety_identifier: null,
    store: true,
    temperature: 1,
    tool_choice: 'auto',
    top_logprobs: 0,
    top_p: 0.98,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: {},
    ...echoed,
    model,
    service_tier: request.service_tier ?? 'auto',
    reasoning: { effort: 'medium', summary: null, ...reasoning },
    text: { format: { type: 'text' }, verbosity: 'medium', ...text },
    tools,
    ...extraFields,
  };
}

function toUsage({ usage }: ResponseTurn): JsonObject {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached ?? 0, cache_write_tokens: usage.cacheWrite ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: usage.input + usage.output,
  };
}

type Event = JsonObject & { type: string };

function toEvents(turn: ResponseTurn, request: ResponsesRequest, identity: Identity): Event[] {
  const response = emptyResponse(request, identity);
  const final = finalResponse(turn, request, identity);
  const { failure } = turn;
  const error = { ...failure, param: null };
  return [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    ...turn.items.flatMap((item, output_index) => itemEvents(item, output_index, request, identity)),
    ...(failure === undefined ? [] : [{ type: 'error', error }]),
    { type: `response.${final.status}`, response: final },
  ];
}

function itemEvents(
  item: Item,
  output_index: number,
  request: ResponsesRequest,
  identity: Identity,
): Event[] {
  const context = contextOf(item, output_index, request, identity);
  return [
    { type: 'response.output_item.added', output_index, item: addedItem(item, context) },
    ...innerEvents(item).map((event) => ({
      ...event,
      type: String(event.type),
      item_id: context.id,
      output_index,
    })),
    { type: 'response.output_item.done', output_index, item: finishedItem(item, context) },
  ];
}
