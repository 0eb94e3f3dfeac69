import {
  type Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { isThrottled } from '#test/support/http/throttling.ts';

export interface ClientBehaviour {
  stream: boolean;
  /** Disconnects a while after the request was sent, or when the first chunk of the response arrives. */
  disconnects?: { afterMs: number } | 'mid-response';
  /** Pauses after each chunk of the response. */
  readDelayMs?: number;
  promptLength?: number;
}

export interface ClientRequestOptions extends ClientBehaviour {
  origin: string;
  agent: Agent;
  apiKey: string;
  correlationId: string;
}

export interface ClientResult {
  correlationId: string;
  /** `throttled`: Lambda or API Gateway rejected the request. */
  status: number | 'disconnected' | 'connection_error' | 'throttled';
  body: string;
  headers: IncomingHttpHeaders;
}

/** Never rejects. */
export async function sendRequest(options: ClientRequestOptions): Promise<ClientResult> {
  const { correlationId, disconnects } = options;
  try {
    const response = await send(options);
    if (disconnects === 'mid-response') {
      response.once('data', () => response.destroy());
    }
    const body = await read(response, options);
    const { statusCode: status, headers } = response;
    const wasThrottled = isThrottled({ status, requestId: headers['x-gateway-request-id'], body });
    return { correlationId, status: wasThrottled ? 'throttled' : (status ?? 0), body, headers };
  } catch {
    return {
      correlationId,
      status: disconnects === undefined ? 'connection_error' : 'disconnected',
      body: '',
      headers: {},
    };
  }
}

function send({
  origin,
  agent,
  apiKey,
  correlationId,
  disconnects,
  promptLength = 1,
  stream,
}: ClientRequestOptions): Promise<IncomingMessage> {
  const content = 'Say hello. '.repeat(Math.ceil(promptLength / 11));
  const body = JSON.stringify({
    model: 'openai/gpt-4o',
    messages: [{ role: 'user', content }],
    user: correlationId,
    stream,
  });
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${origin}/ai/chat/completions`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'gateway-session-id': correlationId,
      },
    });
    request.once('response', resolve).on('error', reject).end(body);
    if (typeof disconnects === 'object') setTimeout(() => request.destroy(), disconnects.afterMs).unref();
  });
}

async function read(response: IncomingMessage, { readDelayMs = 0 }: ClientRequestOptions): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk);
    if (readDelayMs > 0) await delay(readDelayMs);
  }
  return Buffer.concat(chunks).toString('utf8');
}
