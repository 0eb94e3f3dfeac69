/** One call of the gateway, as a caller makes it who may read slowly, or not wait for the end. */
import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface CallerManners {
  stream: boolean;
  /** Hangs up: so long after the request was sent, or when the answer has begun. */
  leaves?: { afterMs: number } | 'mid-answer';
  /** Waits so long after each piece of the answer. */
  readsEveryMs?: number;
  /** Characters of the prompt. */
  promptLength?: number;
}

export interface Call extends CallerManners {
  origin: string;
  agent: Agent;
  apiKey: string;
  mark: string;
}

export interface CallResult {
  mark: string;
  /** `left`: hung up. `broken`: the connection was. `throttled`: Lambda or API Gateway did not take the request. */
  status: number | 'left' | 'broken' | 'throttled';
  body: string;
}

/** Never rejects. */
export async function callOnce(call: Call): Promise<CallResult> {
  const { mark, leaves } = call;
  try {
    const response = await send(call);
    if (leaves === 'mid-answer') {
      response.once('data', () => response.destroy());
    }
    const body = await read(response, call);
    return { mark, status: isThrottled(response, body) ? 'throttled' : (response.statusCode ?? 0), body };
  } catch {
    return { mark, status: leaves === undefined ? 'broken' : 'left', body: '' };
  }
}

function send({ origin, agent, apiKey, mark, leaves, ...asked }: Call): Promise<IncomingMessage> {
  const content = 'Say hello. '.repeat(Math.ceil((asked.promptLength ?? 1) / 11));
  const body = JSON.stringify({
    model: 'openai/gpt-4o',
    messages: [{ role: 'user', content }],
    user: mark,
    stream: asked.stream,
  });
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${origin}/ai/chat/completions`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'gateway-session-id': mark,
      },
    });
    outgoing.once('response', resolve).on('error', reject).end(body);
    if (typeof leaves === 'object') setTimeout(() => outgoing.destroy(), leaves.afterMs).unref();
  });
}

/** A provider's 429 has the request's id. API Gateway answers alike for a function that is throttled and one that fails. */
function isThrottled({ statusCode, headers }: IncomingMessage, body: string): boolean {
  if (headers['x-gateway-request-id'] !== undefined) return false;
  return statusCode === 429 || (statusCode === 503 && body.includes('cannot take the request now'));
}

async function read(response: IncomingMessage, { readsEveryMs = 0 }: Call): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of response) {
    pieces.push(piece);
    if (readsEveryMs > 0) await delay(readsEveryMs);
  }
  return Buffer.concat(pieces).toString('utf8');
}
