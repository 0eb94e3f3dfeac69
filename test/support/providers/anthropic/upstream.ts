/**
 * A fake Messages API that rejects the requests the real API rejects.
 * https://platform.claude.com/docs/en/api/messages/create
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { replay } from '../replay.ts';
import { type ProviderBehaviour, simulateCompletion } from '../simulated-model.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { jsonResponse, type RecordedRequest, type Respond, streamResponse } from '../upstream-responses.ts';
import { findRejection, toTurns } from './request-rules.ts';
import { type MessagesRequest, messagesRequest } from './request-schema.ts';

export function startAnthropicUpstream(
  behaviour: ProviderBehaviour = {},
): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream({ path: '/v1', respond }, behaviour);
}

function respond(request: RecordedRequest, behaviour: ProviderBehaviour): Respond {
  const { method, url, headers, requestId } = request;
  /** https://platform.claude.com/docs/en/api/errors */
  const errorResponse = (status: number, type: string, message: string) =>
    jsonResponse(
      { type: 'error', error: { type, message }, request_id: requestId },
      { status, headers: { 'request-id': requestId } },
    );
  const invalid = (message: string) => errorResponse(400, 'invalid_request_error', message);
  if (method !== 'POST' || url !== '/v1/messages') return errorResponse(404, 'not_found_error', 'Not found');
  const { 'x-api-key': apiKey, 'anthropic-version': version, 'content-type': type } = headers;
  if (apiKey === undefined || apiKey !== (behaviour.expectedApiKey ?? apiKey)) {
    return errorResponse(401, 'authentication_error', 'invalid x-api-key');
  }
  if (version !== '2023-06-01') return invalid(`anthropic-version: "${version}" is not a valid version`);
  if (type !== 'application/json') return invalid('content-type: must be application/json');
  const { data, error } = messagesRequest.safeParse(parseJson(request.body.toString()));
  if (error !== undefined) return invalid(z.prettifyError(error));
  if (!data.model.startsWith('claude-')) return errorResponse(404, 'not_found_error', `model: ${data.model}`);
  const rejection = findRejection(data);
  if (rejection !== null) return invalid(rejection);
  if (behaviour.fixture !== undefined) return replay(behaviour.fixture, data.stream === true, anthropicEvent);
  return messageResponse(data, requestId, behaviour);
}

export function anthropicEvent(event: unknown): string {
  if (!isJsonObject(event)) throw new Error('An event must be an object');
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function messageResponse(request: MessagesRequest, requestId: string, behaviour: ProviderBehaviour): Respond {
  const simulated = simulateCompletion(toPrompt(request), behaviour);
  const usage = {
    input_tokens: 19,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 5,
  };
  const ending = { stop_reason: simulated.kind === 'tool' ? 'tool_use' : 'end_turn', stop_sequence: null };
  const id = requestId.replace('req', 'msg');
  const message = { id, type: 'message', role: 'assistant', model: request.model };
  const headers = { 'request-id': requestId, 'anthropic-ratelimit-requests-remaining': '3999' };
  const tool = simulated.kind === 'tool' && {
    type: 'tool_use',
    id: requestId.replace('req', 'toolu'),
    name: simulated.name,
  };
  if (request.stream !== true) {
    const block =
      simulated.kind === 'tool'
        ? { ...tool, input: simulated.input }
        : { type: 'text', text: simulated.chunks.join('') };
    return jsonResponse({ ...message, content: [block], ...ending, usage }, { headers });
  }
  const deltas: JsonObject[] =
    simulated.kind === 'tool'
      ? ['', JSON.stringify(simulated.input)].map((json) => ({
          type: 'input_json_delta',
          partial_json: json,
        }))
      : simulated.chunks.map((text) => ({ type: 'text_delta', text }));
  const start = simulated.kind === 'tool' ? { ...tool, input: {} } : { type: 'text', text: '' };
  const events = [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'ping' },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: ending, usage },
    { type: 'message_stop' },
  ];
  return streamResponse(events.map(anthropicEvent), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers },
  });
}

function toPrompt(request: MessagesRequest) {
  const { tools = [], tool_choice: choice, output_config } = request;
  const lastBlocks = toTurns(request).at(-1)?.blocks ?? [];
  const mayCall = choice?.type !== 'none' && !lastBlocks.some(({ type }) => type === 'tool_result');
  const tool = choice?.type === 'tool' ? tools.find(({ name }) => name === choice.name) : tools[0];
  return {
    tool: mayCall && tool !== undefined ? { name: tool.name } : undefined,
    schema: output_config?.format?.schema,
    lastUserText: lastBlocks.map(({ text = '' }) => text).join(''),
  };
}
