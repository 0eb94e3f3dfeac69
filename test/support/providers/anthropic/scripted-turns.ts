/**
 * Responses of a scripted conversation, whole or streamed as the request asks. In a stream, texts and the inputs of tools
 * come in chunks, and the last usage repeats and completes the first.
 */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { jsonResponse, type Respond, streamResponse } from '../upstream-responses.ts';
import { anthropicEvent } from './message-events.ts';

export type Block =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject };

interface MessageTurn {
  blocks: readonly Block[];
  usage: { input_tokens: number; output_tokens: number } & JsonObject;
  /** Closes or resets a stream after its first text or input. */
  broken?: 'close' | 'reset';
  /** Holds a stream back after its first text or input. */
  resumed?: Promise<void>;
}

/** https://platform.claude.com/docs/en/api/errors */
interface ErrorTurn {
  status: number;
  type: string;
  message: string;
  headers?: Record<string, string>;
  details?: JsonObject;
}

export type Turn = MessageTurn | ErrorTurn;

interface Identity {
  requestId: string;
  requestIdHeaders: readonly string[];
  model: string;
}

function errorResponse({ status, type, message, headers, details }: ErrorTurn, identity: Identity): Respond {
  const { requestId } = identity;
  const body = { type: 'error', error: { type, message, details }, request_id: requestId };
  return jsonResponse(body, { status, headers: { ...idHeaders(identity), ...headers } });
}

export function respondWithTurn(turn: Turn, identity: Identity, streamed: boolean): Respond {
  if (!('blocks' in turn)) return errorResponse(turn, identity);
  const headers = { ...idHeaders(identity), 'anthropic-ratelimit-requests-remaining': '3999' };
  const body = messageBody(turn, identity, streamed);
  if (typeof body === 'string') return jsonResponse(body, { headers });
  return streamResponse(pausedEvents(turn, body), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers },
    ending: turn.broken,
  });
}

/** The JSON of the message, or the events of its stream. */
export function messageBody(
  turn: MessageTurn,
  identity: Pick<Identity, 'requestId' | 'model'>,
  streamed: boolean,
): string | string[] {
  return streamed ? toEvents(turn, identity).map(anthropicEvent) : JSON.stringify(toMessage(turn, identity));
}

function idHeaders({ requestId, requestIdHeaders }: Identity): Record<string, string> {
  return Object.fromEntries(requestIdHeaders.map((name) => [name, requestId]));
}

async function* pausedEvents({ broken, resumed }: MessageTurn, events: readonly string[]) {
  const first = events.findIndex((event) => event.startsWith('event: content_block_delta'));
  for (const [at, event] of events.entries()) {
    if (broken !== undefined && at > first) return;
    yield event;
    if (at === first) await resumed;
  }
}

export function messageId(requestId: string): string {
  return requestId.replace('req', 'msg');
}

function toMessage(
  { blocks, usage }: MessageTurn,
  { requestId, model }: Pick<Identity, 'requestId' | 'model'>,
) {
  return {
    id: messageId(requestId),
    type: 'message',
    role: 'assistant',
    model,
    content: blocks,
    stop_reason: blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      service_tier: 'standard',
      ...usage,
    },
  };
}

function toEvents(turn: MessageTurn, identity: Pick<Identity, 'requestId' | 'model'>): JsonObject[] {
  const { content, stop_reason, stop_sequence, usage, ...message } = toMessage(turn, identity);
  const { service_tier, ...counts } = usage;
  return [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    },
    { type: 'ping' },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: emptyBlock(block) },
      ...deltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: counts },
    { type: 'message_stop' },
  ];
}

function emptyBlock(block: Block): JsonObject {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
      return { ...block, input: {} };
    default:
      return block satisfies never;
  }
}

function deltas(block: Block): JsonObject[] {
  switch (block.type) {
    case 'text':
      return splitText(block.text).map((text) => ({ type: 'text_delta', text }));
    case 'thinking':
      return [
        ...splitText(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'tool_use':
      // The API begins with an empty chunk.
      return ['', ...splitText(JSON.stringify(block.input))].map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
    default:
      return block satisfies never;
  }
}

function splitText(text: string): string[] {
  return text.match(/[\s\S]{1,12}/g) ?? [];
}
