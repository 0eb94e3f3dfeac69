/** Load generator: sends chat requests of any size over keep-alive connections, in a closed loop. */
import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';

export interface ChatRequest {
  stream: boolean;
  /** Number of tokens in the response. A stream sends one chunk per token. */
  chunks: number;
  /** Delay before the upstream responds. */
  delayMs?: number;
  gapMs?: number;
  /** Size of the body. The default is the size of a short question. */
  bytes?: number;
  /** Repeated to fill the body. */
  text?: string;
  /** A model with a price. By default the name of the model, which has none, defines the response. */
  model?: string;
  /** Default: `openai`. */
  provider?: string;
  includeUsage?: boolean;
}

/** Returns a body of exactly `bytes` bytes in UTF-8. Throws when they are too few. */
export function chatBody(request: ChatRequest): Buffer {
  const { stream, includeUsage } = request;
  return filledBody(request, (fields, system, user) => ({
    ...fields,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    stream,
    ...(includeUsage && { stream_options: { include_usage: true } }),
  }));
}

/** The same in the format of Anthropic's Messages API. */
export function messagesBody(request: ChatRequest): Buffer {
  return filledBody(request, (fields, system, user) => ({
    ...fields,
    max_tokens: 32_000,
    system,
    messages: [{ role: 'user', content: user }],
    stream: request.stream,
  }));
}

/** The same in the format of OpenAI's Responses API. */
export function responsesBody(request: ChatRequest): Buffer {
  return filledBody(request, (fields, instructions, user) => ({
    ...fields,
    instructions,
    input: [{ role: 'user', content: user }],
    store: false,
    stream: request.stream,
  }));
}

function filledBody(
  request: ChatRequest,
  toBody: (fields: object, system: string, user: string) => object,
): Buffer {
  const { chunks, delayMs = 0, gapMs = 0, bytes = 700, text = 'Tell me more. ' } = request;
  const { provider = 'openai', model } = request;
  const scenario = `d${delayMs}-c${chunks}-g${gapMs}`;
  const fields = {
    model: `${provider}/${model ?? scenario}`,
    ...(model !== undefined && { user: scenario }),
  };
  const serialize = (system: string, user: string) => JSON.stringify(toBody(fields, system, user));
  const room = bytes - serialize('', '').length;
  if (room < 0) throw new Error(`A chat request does not fit in ${bytes} bytes`);
  const half = Math.floor(room / 2);
  return Buffer.from(serialize(fillText(half, text), fillText(room - half, text)));
}

function fillText(bytes: number, text: string): string {
  const textBytes = Buffer.byteLength(text);
  return text.repeat(Math.floor(bytes / textBytes)) + ' '.repeat(bytes % textBytes);
}

/** Returns request headers with the API key of the organization with this number. */
export function callerHeaders(organization: number): Record<string, string> {
  const key = `pt_live_${String(organization).padStart(32, '0')}`;
  const keyHash = createHash('sha256').update(key).digest('hex');
  return { authorization: `Bearer ${key}`, 'gateway-user-id': callerSuffix(keyHash) };
}

/** Returns the suffix that the IDs of a caller's organization, key and user have in common. */
export function callerSuffix(keyHash: string): string {
  return keyHash.slice(0, 20);
}

interface OutgoingRequest {
  url: string;
  body: Buffer;
  headers?: Record<string, string>;
}

export interface TimedResponse {
  /** Since the start of the request, like `totalMs`. */
  firstByteMs: number;
  totalMs: number;
  /** In milliseconds since 1970. */
  endedAtMs: number;
  body: Buffer;
}

export interface Client {
  /** Rejects when the status is not 200. */
  send(request: OutgoingRequest): Promise<TimedResponse>;
  close(): void;
}

export function createClient(certificate?: Buffer): Client {
  const plain = new http.Agent({ keepAlive: true });
  const secure = new https.Agent({ keepAlive: true, ca: certificate });
  const start = (url: string, options: http.RequestOptions) =>
    url.startsWith('https:')
      ? https.request(url, { ...options, agent: secure })
      : http.request(url, { ...options, agent: plain });
  return {
    send: ({ url, body, headers }) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now();
        const outgoing = start(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
        });
        outgoing.once('error', reject);
        outgoing.once('response', (incoming) => readResponse(incoming, startedAt).then(resolve, reject));
        outgoing.end(body);
      }),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

function readResponse(incoming: http.IncomingMessage, startedAt: number): Promise<TimedResponse> {
  const chunks: Buffer[] = [];
  let firstByteMs = 0;
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      firstByteMs ||= performance.now() - startedAt;
      chunks.push(chunk);
    });
    incoming.once('error', reject);
    incoming.once('end', () => {
      const endedAt = performance.now();
      const body = Buffer.concat(chunks);
      if (incoming.statusCode !== 200) reject(new Error(`Status ${incoming.statusCode}: ${body}`));
      resolve({
        firstByteMs,
        totalMs: endedAt - startedAt,
        endedAtMs: performance.timeOrigin + endedAt,
        body,
      });
    });
  });
}

/** Keeps `concurrency` requests in flight: each caller sends its next request when the previous response has ended. */
export async function runClosedLoop<Result>(
  { concurrency, requests }: { concurrency: number; requests: number },
  send: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const runCaller = async () => {
    for (let index = next++; index < requests; index = next++) results.push(await send(index));
  };
  await Promise.all(Array.from({ length: concurrency }, runCaller));
  return results;
}
