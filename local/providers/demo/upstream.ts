/** The demo model provider, with the APIs of OpenAI and Anthropic: answers first requests without an API key or network access. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import { openHttpListener } from '#local/listeners/http-listener.ts';
import { isObject, type JsonObject, parseJson } from '#local/untyped-json.ts';
import { createCompletion, sendChunks, toCompletionBody } from './chat.ts';
import { createEmbeddings } from './embeddings.ts';
import { countTokens, createMessage, sendEvents, toMessageBody } from './messages.ts';
import { createResponse, sendResponseEvents } from './responses.ts';

export interface DemoUpstream {
  settings: ProviderSettings;
  stop(): Promise<void>;
}

export const demoProvider = 'demo';
export const demoModel = 'demo-1';
export const demoEmbeddingModel = 'demo-embedding';

export async function startDemoUpstream(): Promise<DemoUpstream> {
  const listener = await openHttpListener(0);
  listener.serve((request, response) => {
    handleRequest(request, response).catch(() => response.destroy());
  });
  return {
    settings: {
      baseUrl: `${listener.origin}/v1`,
      operations: { messages: '/messages', responses: '/responses' },
      prices: { input: 1, output: 2 },
      models: [demoModel, demoEmbeddingModel],
    },
    stop: () => listener.close(),
  };
}

type Handle = (response: ServerResponse, body: JsonObject) => void | Promise<void>;

const handlers: Readonly<Record<string, Handle>> = {
  '/v1/chat/completions'(response, body) {
    const completion = createCompletion(body);
    if (body.stream === true) return sendChunks(response, body, completion);
    sendJson(response, 200, toCompletionBody(completion));
  },
  '/v1/embeddings': (response, body) => sendJson(response, 200, createEmbeddings(body)),
  '/v1/messages'(response, body) {
    const message = createMessage(body);
    if (body.stream === true) return sendEvents(response, message);
    sendJson(response, 200, toMessageBody(message));
  },
  '/v1/responses'(response, body) {
    const created = createResponse(body);
    if (body.stream === true) return sendResponseEvents(response, created);
    sendJson(response, 200, created.body);
  },
  '/v1/messages/count_tokens': (response, body) => sendJson(response, 200, countTokens(body)),
};

const notFound = {
  error: {
    message: `The demo provider supports only ${Object.keys(handlers)
      .map((path) => `POST ${path}`)
      .join(', ')}.`,
    type: 'invalid_request_error',
    param: null,
    code: null,
  },
};

async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = parseJson(await text(request));
  const requestId = `req_${randomUUID().replaceAll('-', '')}`;
  response.setHeader('x-request-id', requestId);
  response.setHeader('request-id', requestId);
  const handle = request.method === 'POST' ? handlers[request.url ?? ''] : undefined;
  if (handle === undefined || !isObject(body)) sendJson(response, 404, notFound);
  else await handle(response, body);
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
