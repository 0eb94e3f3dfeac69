/** A provider that returns a valid response in the protocol of the request. */
import { Buffer } from 'node:buffer';
import type { HttpTransport, OutgoingRequest } from '#lambdas/inference/providers/http/client.ts';
import { sseEvent } from '#lambdas/inference/providers/http/sse.ts';
import { readChunks } from '../support/http/read-chunks.ts';
import { bedrockFrame, bedrockStreamType } from '../support/providers/bedrock/event-stream.ts';

const json = 'application/json';
const eventStream = 'text/event-stream';

type ContentTypeAndBody = readonly [string, Buffer];

export const validProvider: HttpTransport = async (request) => {
  const [contentType, bytes] = respondTo(request);
  const headers = { 'content-type': contentType, 'x-request-id': 'req_1' };
  return { status: 200, headers, read: readChunks([bytes]) };
};

function respondTo({ url, body }: OutgoingRequest): ContentTypeAndBody {
  const { pathname } = url;
  if (pathname.endsWith('/messages')) return anthropic(JSON.parse(body).stream === true);
  if (pathname.endsWith('/converse-stream')) return bedrockStream;
  if (pathname.endsWith('/converse')) return bedrock;
  if (pathname.endsWith(':generateContent')) return [json, Buffer.from(JSON.stringify(google))];
  if (pathname.endsWith(':streamGenerateContent')) return [eventStream, sseEvent(google)];
  return openAi(JSON.parse(body).stream === true);
}

function openAi(stream: boolean): ContentTypeAndBody {
  const common = { id: 'chatcmpl-1', created: 1_794_000_000, model: 'm' };
  const choice = { index: 0, finish_reason: 'stop', logprobs: null };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  if (stream) {
    const delta = { role: 'assistant', content: 'Hi' };
    const chunk = { ...common, object: 'chat.completion.chunk', choices: [{ ...choice, delta }], usage };
    return [eventStream, Buffer.concat([sseEvent(chunk), Buffer.from('data: [DONE]\n\n')])];
  }
  const message = { role: 'assistant', content: 'Hi', refusal: null };
  const completion = { ...common, object: 'chat.completion', choices: [{ ...choice, message }], usage };
  return [json, Buffer.from(JSON.stringify(completion))];
}

function anthropic(stream: boolean): ContentTypeAndBody {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' };
  const usage = { input_tokens: 1, output_tokens: 1 };
  if (!stream) {
    const message = { ...head, content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage };
    return [json, Buffer.from(JSON.stringify(message))];
  }
  const events = [
    { type: 'message_start', message: { ...head, content: [], usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ];
  return [eventStream, Buffer.concat(events.map(sseEvent))];
}

const google = {
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: 'm',
  responseId: 'r',
};

const bedrockUsage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const bedrock: ContentTypeAndBody = [
  json,
  Buffer.from(
    JSON.stringify({
      output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
      stopReason: 'end_turn',
      usage: bedrockUsage,
    }),
  ),
];
const bedrockStream: ContentTypeAndBody = [
  bedrockStreamType,
  Buffer.concat(
    [
      { messageStart: { role: 'assistant' } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hi' } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: 'end_turn' } },
      { metadata: { usage: bedrockUsage } },
    ].map(bedrockFrame),
  ),
];
