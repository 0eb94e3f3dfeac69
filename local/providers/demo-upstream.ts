/** A demo model provider in OpenAI's format: completes a first request without an API key or network access. */
import { randomUUID } from 'node:crypto';
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
      models: [demoModel],
    },
    stop: () => listener.close(),
  };
}

async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = parseJson(await text(request));
  response.setHeader('x-request-id', `req_${randomUUID().replaceAll('-', '')}`);
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions' || !isObject(body)) {
    sendJson(response, 404, {
      error: {
        message: 'The demo provider supports only POST /v1/chat/completions.',
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

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
