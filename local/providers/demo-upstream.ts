/** A demo model provider in OpenAI's format: answers first requests without an API key or network access. */
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import { openHttpListener } from '../listeners/http-listener.ts';
import { asList, isObject, type JsonObject, parseJson } from '../untyped-json.ts';

export interface DemoUpstream {
  settings: ProviderSettings;
  stop(): Promise<void>;
}

export const demoProvider = 'demo';
export const demoModel = 'demo-1';
export const demoEmbeddingModel = 'demo-embedding';

const chunkIntervalMs = 40;

export async function startDemoUpstream(): Promise<DemoUpstream> {
  const listener = await openHttpListener(0);
  listener.serve((request, response) => {
    handleRequest(request, response).catch(() => response.destroy());
  });
  return {
    settings: {
      baseUrl: `${listener.origin}/v1`,
      prices: { input: 1, output: 2 },
      models: [demoModel, demoEmbeddingModel],
    },
    stop: () => listener.close(),
  };
}

async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = parseJson(await text(request));
  response.setHeader('x-request-id', `req_${randomUUID().replaceAll('-', '')}`);
  if (request.method === 'POST' && request.url === '/v1/embeddings' && isObject(body)) {
    sendJson(response, 200, createEmbeddings(body));
    return;
  }
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions' || !isObject(body)) {
    sendJson(response, 404, {
      error: {
        message: 'The demo provider supports only POST /v1/chat/completions and POST /v1/embeddings.',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    });
    return;
  }
  const completion = createCompletion(body);
  if (body.stream === true) await sendStream(response, body, completion);
  else sendJson(response, 200, toCompletionBody(completion));
}

interface Completion {
  id: string;
  created: number;
  model: unknown;
  words: string[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

function createCompletion(body: JsonObject): Completion {
  const messages = asList(body.messages);
  const messageCount = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  const sentence = `Hello from the local demo: you sent ${messageCount}. Set a provider's key, such as OPENAI_API_KEY, for real answers.`;
  const promptTokens = estimateTokens(JSON.stringify(messages));
  const completionTokens = estimateTokens(sentence);
  return {
    id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
    created: Math.floor(Date.now() / 1000),
    model: body.model,
    words: sentence.split(/(?<= )/),
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}

/** Assumes four characters per token, the average of English text. */
function estimateTokens(content: string): number {
  return Math.ceil(content.length / 4);
}

function toCompletionBody({ id, created, model, words, usage }: Completion): JsonObject {
  const message = { role: 'assistant', content: words.join(''), refusal: null };
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage,
  };
}

async function sendStream(response: ServerResponse, body: JsonObject, completion: Completion): Promise<void> {
  const { id, created, model, words, usage } = completion;
  const includesUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
  const send = (choices: unknown[], chunkUsage: unknown = null) => {
    const chunk = { id, object: 'chat.completion.chunk', created, model, choices };
    response.write(`data: ${JSON.stringify(includesUsage ? { ...chunk, usage: chunkUsage } : chunk)}\n\n`);
  };
  const choice = (delta: JsonObject, finishReason: string | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason: finishReason },
  ];
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  send(choice({ role: 'assistant', content: '' }));
  for (const word of words) {
    if (response.destroyed) return;
    await delay(chunkIntervalMs);
    send(choice({ content: word }));
  }
  send(choice({}, 'stop'));
  if (includesUsage) send([], usage);
  response.end('data: [DONE]\n\n');
}

const defaultDimensions = 64;

function createEmbeddings(body: JsonObject): JsonObject {
  const { input, model, dimensions, encoding_format } = body;
  const texts = (Array.isArray(input) ? input : [input]).map(String);
  const size = typeof dimensions === 'number' ? dimensions : defaultDimensions;
  const data = texts.map((text, index) => {
    const vector = embed(text, size);
    const embedding =
      encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : Array.from(vector);
    return { object: 'embedding', index, embedding };
  });
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

/** Counts words by their hashes: texts with common words have similar vectors, as with a real model. */
function embed(text: string, size: number): Float32Array {
  const vector = new Float32Array(size);
  for (const word of text.toLowerCase().split(/\W+/)) {
    const hash = createHash('sha256').update(word).digest();
    const index = hash.readUInt32LE() % size;
    vector[index] = (vector[index] ?? 0) + (word === '' ? 0.1 : 1);
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
