/** A closed loop: so many callers, each with one request at a time on a connection that is kept. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

export interface Target {
  /** Of chat completions. */
  url: string;
  headers: Record<string, string>;
  /** How it calls the model that the upstream calls `model`. */
  modelName(model: string): string;
}

export interface Load {
  /** See `bench/shared/upstream.ts`. */
  model: string;
  stream: boolean;
  callers: number;
  requests: number;
}

/** Milliseconds, one of each request. */
export interface Timings {
  total: number[];
  /** Until the first byte of the body. */
  firstByte: number[];
}

const agent = new Agent({ keepAlive: true });

const messages = [
  {
    role: 'system',
    content: 'You are a helpful assistant who answers in short and plain sentences. '.repeat(4),
  },
  { role: 'user', content: 'What does a gateway do for the teams behind it? '.repeat(6) },
];

export async function run(target: Target, { model, stream, callers, requests }: Load): Promise<Timings> {
  const body = JSON.stringify({ model: target.modelName(model), messages, stream });
  const timings: Timings = { total: [], firstByte: [] };
  let left = requests;
  const call = async () => {
    while (left > 0) {
      left -= 1;
      const { total, firstByte } = await send(target, body);
      timings.total.push(total);
      timings.firstByte.push(firstByte);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return timings;
}

function send({ url, headers }: Target, body: string): Promise<{ total: number; firstByte: number }> {
  return new Promise((resolve, reject) => {
    const begunAt = performance.now();
    const outgoing = httpRequest(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
    });
    outgoing.once('error', reject);
    outgoing.once('response', (incoming: IncomingMessage) => {
      if (incoming.statusCode !== 200) reject(new Error(`${url} answered ${incoming.statusCode}`));
      let firstByte = 0;
      incoming.on('data', () => {
        firstByte ||= performance.now() - begunAt;
      });
      incoming.once('end', () => resolve({ total: performance.now() - begunAt, firstByte }));
      incoming.once('error', reject);
    });
    outgoing.end(body);
  });
}
