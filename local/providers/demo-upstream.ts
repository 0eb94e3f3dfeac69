/** A model provider in OpenAI's format that needs no network and no key: what a first request is answered by. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import { openHttpListener } from '../http/http-listener.ts';
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
  listener.answerWith((request, response) => {
    answer(request, response).catch(() => response.destroy());
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

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = parseJson(await text(request));
  response.setHeader('x-request-id', `req_${randomUUID().replaceAll('-', '')}`);
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions' || !isObject(body)) {
    sendJson(response, 404, {
      error: {
        message: 'The demo has POST /v1/chat/completions.',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    });
    return;
  }
  const completion = complete(body);
  if (body.stream === true) await stream(response, body, completion);
  else sendJson(response, 200, completionObject(completion));
}

interface Completion {
  id: string;
  created: number;
  model: unknown;
  words: string[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

function complete(body: JsonObject): Completion {
  const messages = asList(body.messages);
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  const sentence = `Hello from the local demo: you sent ${count}. Set a provider's key, such as OPENAI_API_KEY, for real answers.`;
  const promptTokens = countTokens(JSON.stringify(messages));
  const completionTokens = countTokens(sentence);
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

/** About four characters to a token, as in English. */
function countTokens(content: string): number {
  return Math.ceil(content.length / 4);
}

function completionObject({ id, created, model, words, usage }: Completion): JsonObject {
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

async function stream(response: ServerResponse, body: JsonObject, completion: Completion): Promise<void> {
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
