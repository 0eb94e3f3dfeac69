/** Messages of the demo provider, in Anthropic's format. https://platform.claude.com/docs/en/build-with-claude/streaming */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { asList, type JsonObject } from '#local/untyped-json.ts';
import { createText, type DemoText, estimateTokens, eventStreamHeaders, paced } from './text.ts';

interface Message extends DemoText {
  id: string;
  model: unknown;
}

export function createMessage(body: JsonObject): Message {
  return { id: `msg_${randomUUID().replaceAll('-', '')}`, model: body.model, ...createText(inputOf(body)) };
}

export function countTokens(body: JsonObject): JsonObject {
  return { input_tokens: estimateTokens(JSON.stringify(inputOf(body))) };
}

function inputOf({ messages, system, tools }: JsonObject): unknown[] {
  return [...asList(messages), system, tools].filter((part) => part !== undefined);
}

export function toMessageBody({ id, model, words, inputTokens, outputTokens }: Message): JsonObject {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: words.join('') }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: usageOf(inputTokens, outputTokens),
  };
}

function usageOf(inputTokens: number, outputTokens: number): JsonObject {
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  };
}

export async function sendEvents(response: ServerResponse, message: Message): Promise<void> {
  const { words, inputTokens, outputTokens } = message;
  const send = (type: string, fields: JsonObject = {}) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  response.writeHead(200, eventStreamHeaders);
  const start = { content: [], stop_reason: null, usage: usageOf(inputTokens, 1) };
  send('message_start', { message: { ...toMessageBody(message), ...start } });
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  send('ping');
  for await (const text of paced(words)) {
    if (response.destroyed) return;
    send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
  }
  send('content_block_stop', { index: 0 });
  send('message_delta', {
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: outputTokens },
  });
  send('message_stop');
  response.end();
}
