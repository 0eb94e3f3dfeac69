/**
 * Fakes a provider in OpenAI's format. The name of the model, or that of the user, defines the response: `d20-c300-g5`
 * waits for 20 ms, then streams 300 chunks, 5 ms apart. A request without `stream` gets a completion of 300 words.
 */
import type { ServerResponse } from 'node:http';
import { serve } from './serve.ts';

interface Scenario {
  delayMs: number;
  chunks: number;
  gapMs: number;
}

/** End of the last stream by number of chunks, in milliseconds since 1970. */
const lastEndMs: Record<string, number> = {};

const head = '"id":"chatcmpl-bench","created":1763769600,"model":"bench-1"';
const chunk = (choices: string, usage = '') =>
  Buffer.from(`data: {${head},"object":"chat.completion.chunk","choices":${choices}${usage}}\n\n`);
const delta = (content: string, finishReason: string) =>
  chunk(`[{"index":0,"delta":{${content}},"logprobs":null,"finish_reason":${finishReason}}]`);

const openingChunk = delta('"role":"assistant","content":""', 'null');
const tokenChunk = delta('"content":" token"', 'null');
const closingChunk = delta('', '"stop"');
const done = Buffer.from('data: [DONE]\n\n');
const usageOf = (chunks: number) =>
  `"usage":{"prompt_tokens":20,"completion_tokens":${chunks},"total_tokens":${20 + chunks}}`;

function completion(chunks: number): string {
  const message = `{"role":"assistant","content":"${' token'.repeat(chunks)}","refusal":null}`;
  const choices = `[{"index":0,"message":${message},"logprobs":null,"finish_reason":"stop"}]`;
  return `{${head},"object":"chat.completion","choices":${choices},${usageOf(chunks)}}`;
}

serve((request, response) => {
  const received: Buffer[] = [];
  request.on('data', (bytes: Buffer) => received.push(bytes));
  request.once('end', () => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    respond(response, Buffer.concat(received).toString('latin1'));
  });
}, lastEndMs);

function respond(response: ServerResponse, body: string): void {
  const scenario = parseScenario(body);
  const send = body.includes('"stream":true') ? sendStream : sendCompletion;
  if (scenario.delayMs === 0) send(response, scenario);
  else setTimeout(send, scenario.delayMs, response, scenario);
}

function parseScenario(body: string): Scenario {
  const [, delay, chunks, gap] = /"(?:model|user)":"(?:[a-z]+\/)?d(\d+)-c(\d+)-g(\d+)"/.exec(body) ?? [];
  return { delayMs: Number(delay ?? 0), chunks: Number(chunks ?? 1), gapMs: Number(gap ?? 0) };
}

function sendCompletion(response: ServerResponse, { chunks }: Scenario): void {
  const body = completion(chunks);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-request-id': 'req_bench',
  });
  response.end(body);
}

async function sendStream(response: ServerResponse, scenario: Scenario): Promise<void> {
  const { chunks, gapMs } = scenario;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_bench' });
  response.write(openingChunk);
  await (gapMs === 0 ? sendTokens(response, chunks) : sendTokensSpaced(response, scenario));
  lastEndMs[chunks] = performance.timeOrigin + performance.now();
  response.end(Buffer.concat([closingChunk, chunk('[]', `,${usageOf(chunks)}`), done]));
}

/** Sends chunks as fast as the client reads them. */
async function sendTokens(response: ServerResponse, chunks: number): Promise<void> {
  for (let sent = 0; sent < chunks && !response.destroyed; sent += 1) {
    if (!response.write(tokenChunk)) await new Promise((resolve) => response.once('drain', resolve));
  }
}

function sendTokensSpaced(response: ServerResponse, { chunks, gapMs }: Scenario): Promise<void> {
  return new Promise((resolve) => {
    let sent = 0;
    const timer = setInterval(() => {
      if (sent < chunks && !response.destroyed) {
        response.write(tokenChunk);
        sent += 1;
        return;
      }
      clearInterval(timer);
      resolve();
    }, gapMs);
  });
}
