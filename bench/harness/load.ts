/** The load generator: chat requests of any size, sent over kept connections by callers in a closed loop. */
import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';

export interface ChatRequest {
  stream: boolean;
  /** How the upstream responds: after this time, with so many tokens, each a chunk if streamed. */
  chunks: number;
  delayMs?: number;
  gapMs?: number;
  /** Size of the body; that of a short question by default. */
  bytes?: number;
  /** Repeated to fill the body. */
  text?: string;
  /** Whether a stream ends with its usage. */
  includeUsage?: boolean;
}

/** Has exactly as many bytes in UTF-8 as the request asks for. */
export function chatBody(request: ChatRequest): Buffer {
  const {
    stream,
    chunks,
    delayMs = 0,
    gapMs = 0,
    bytes = 700,
    text = 'Tell me more. ',
    includeUsage,
  } = request;
  const write = (system: string, user: string) =>
    JSON.stringify({
      model: `openai/d${delayMs}-c${chunks}-g${gapMs}`,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
      stream,
      ...(includeUsage && { stream_options: { include_usage: true } }),
    });
  const room = bytes - write('', '').length;
  if (room < 0) throw new Error(`A chat request does not fit into ${bytes} bytes`);
  const half = Math.floor(room / 2);
  return Buffer.from(write(textOf(half, text), textOf(room - half, text)));
}

function textOf(bytes: number, text: string): string {
  const textBytes = Buffer.byteLength(text);
  return text.repeat(Math.floor(bytes / textBytes)) + ' '.repeat(bytes % textBytes);
}

/** The headers of a request of the organization with this number. */
export function callerHeaders(organization: number): Record<string, string> {
  const key = `pt_live_${String(organization).padStart(32, '0')}`;
  const keyHash = createHash('sha256').update(key).digest('hex');
  return { authorization: `Bearer ${key}`, 'gateway-user-id': ownerOf(keyHash) };
}

/** The name that a caller's organization, key and user have in common. */
export function ownerOf(keyHash: string): string {
  return keyHash.slice(0, 20);
}

export interface Call {
  url: string;
  body: Buffer;
  headers?: Record<string, string>;
}

/** Times are in milliseconds since the request began to be sent, `endedAtMs` in milliseconds since 1970. */
export interface Reply {
  firstByteMs: number;
  totalMs: number;
  endedAtMs: number;
  body: Buffer;
}

export interface Client {
  /** Rejects unless the status is 200. */
  send(call: Call): Promise<Reply>;
  close(): void;
}

/** Trusts `certificate` for `https:` addresses. */
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
        outgoing.once('response', (incoming) => readReply(incoming, startedAt).then(resolve, reject));
        outgoing.end(body);
      }),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

function readReply(incoming: http.IncomingMessage, startedAt: number): Promise<Reply> {
  const pieces: Buffer[] = [];
  let firstByteMs = 0;
  return new Promise((resolve, reject) => {
    incoming.on('data', (piece: Buffer) => {
      firstByteMs ||= performance.now() - startedAt;
      pieces.push(piece);
    });
    incoming.once('error', reject);
    incoming.once('end', () => {
      const endedAt = performance.now();
      const body = Buffer.concat(pieces);
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

/** So many callers, each of which sends its next request as soon as it has the response to the one before. */
export async function closedLoop<Result>(
  { callers, requests }: { callers: number; requests: number },
  send: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const call = async () => {
    for (let index = next++; index < requests; index = next++) results.push(await send(index));
  };
  await Promise.all(Array.from({ length: callers }, call));
  return results;
}
