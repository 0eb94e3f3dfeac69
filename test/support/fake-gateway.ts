/** Answers the canary's requests as the gateway does. A test replaces single responses. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './http/listen.ts';

export type FakeRequest =
  | 'unknown key'
  | 'unknown model'
  | 'stream test'
  | 'embeddings'
  | 'completion'
  | 'entry'
  | 'list'
  | 'costs';

export interface FakeResponse {
  status?: number;
  headers?: Record<string, string>;
  body: string;
}

export interface FakeGateway {
  baseUrl: string;
  /** Accepted. A test may end one. */
  apiKeys: Set<string>;
  requests: FakeRequest[];
  /** Responses that replace those of the gateway; the last one is repeated. `null` never ends. */
  replace(request: FakeRequest, ...responses: (FakeResponse | null)[]): void;
  stop(): Promise<void>;
}

export const fakeLogId = '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01';
export const fakeModel = 'openai/gpt-4o-mini';
export const fakeEmbeddingModel = 'openai/text-embedding-3-small';

export function errorBody(code: string, type: string): string {
  return JSON.stringify({ error: { message: 'What happened', type, param: null, code } });
}

const usageChunk = { choices: [], usage: { prompt_tokens: 14, completion_tokens: 2, total_tokens: 16 } };

/** Each event is a chunk, or text as it is. */
export function eventStream(...events: (object | string)[]): FakeResponse {
  const lines = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
  return {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-gateway-request-id': fakeLogId },
    body: lines.map((line) => `data: ${line}\n\n`).join(''),
  };
}

/** The test stream, whose events were written so many milliseconds before they are sent. */
export function streamTest(...latenessMs: number[]): FakeResponse {
  const events = latenessMs.map((lateMs, index) => ({
    number: index + 1,
    count: latenessMs.length,
    written_at: new Date(Date.parse('2026-01-01T12:00:00.000Z') - lateMs).toISOString(),
  }));
  return eventStream(...events);
}

export const fakeEntry = {
  id: fakeLogId,
  created_at: '2026-01-01T12:00:30.250Z',
  outcome: 'completed',
  input_tokens: 14,
  output_tokens: 2,
  cost_usd: 0.0000033,
  pricing: 'table',
  latency_ms: 800,
};

export const countedCosts = {
  total_requests: 1,
  total_cost_usd: 0.0000033,
  complete_until: '2026-01-01T12:00:33.000Z',
};

function defaultResponses(): Record<FakeRequest, FakeResponse[]> {
  const response = (body: object): FakeResponse => ({ body: JSON.stringify(body) });
  return {
    'unknown key': [{ status: 401, body: errorBody('invalid_api_key', 'authentication_error') }],
    'unknown model': [{ status: 400, body: errorBody('model_not_found', 'invalid_request_error') }],
    'stream test': [streamTest(0, 0, 0, 0)],
    embeddings: [response({ object: 'list', data: [{ embedding: [0.5] }, { embedding: [-0.5] }] })],
    completion: [eventStream({ choices: [{ delta: { content: 'OK' } }] }, usageChunk, '[DONE]')],
    // Both appear a little later.
    entry: [{ status: 404, body: errorBody('not_found', 'invalid_request_error') }, response(fakeEntry)],
    list: [response({ object: 'list', data: [fakeEntry] })],
    costs: [response({ ...countedCosts, total_requests: 0, total_cost_usd: 0 }), response(countedCosts)],
  };
}

export async function startFakeGateway(apiKey: string): Promise<FakeGateway> {
  const apiKeys = new Set([apiKey]);
  const requests: FakeRequest[] = [];
  const responses: Record<FakeRequest, (FakeResponse | null)[]> = defaultResponses();
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const name = await nameOf(request, apiKeys);
    requests.push(name);
    const [next = null, ...later] = responses[name];
    if (later.length > 0) responses[name] = later;
    if (next === null) return;
    response.writeHead(next.status ?? 200, { 'content-type': 'application/json', ...next.headers });
    response.end(next.body);
  };
  const server = createServer((request, response) => {
    respond(request, response).catch((error) => response.destroy(error));
  });
  const { address, stop } = await listen(server);
  return {
    baseUrl: `http://${address}`,
    apiKeys,
    requests,
    replace(request, ...replaced) {
      responses[request] = replaced;
    },
    stop,
  };
}

const windows = {
  list: 'start=2026-01-01T12%3A00%3A30.250Z&end=2026-01-01T12%3A00%3A30.251Z',
  costs: 'start=2026-01-01T12%3A00%3A00.000Z&end=2026-01-01T12%3A01%3A00.000Z',
};

/** Throws for a request that the canary must not send. */
async function nameOf(request: IncomingMessage, apiKeys: ReadonlySet<string>): Promise<FakeRequest> {
  const { method, url, headers } = request;
  const key = headers.authorization?.replace('Bearer ', '') ?? '';
  const isKnown = apiKeys.has(key);
  if (method === 'POST' && url === '/ai/chat/completions') {
    const body = (await json(request)) as Record<string, unknown>;
    if (!isKnown) return 'unknown key';
    if (body.model !== fakeModel) return 'unknown model';
    const { messages: _, ...parameters } = body;
    const expected = { stream: true, stream_options: { include_usage: true }, max_completion_tokens: 256 };
    if (JSON.stringify(parameters) === JSON.stringify({ model: fakeModel, ...expected })) return 'completion';
  }
  if (method === 'POST' && url === '/ai/embeddings' && isKnown) {
    const { model } = (await json(request)) as Record<string, unknown>;
    if (model === fakeEmbeddingModel) return 'embeddings';
  }
  if (method === 'GET' && isKnown) {
    if (url === '/ai/stream-test') return 'stream test';
    if (url === `/api/logs/${fakeLogId}`) return 'entry';
    if (url === `/api/logs?${windows.list}`) return 'list';
    if (url === `/api/costs?${windows.costs}`) return 'costs';
  }
  throw new Error(`Unexpected request: ${method} ${url}`);
}
