/**
 * A provider in OpenAI's format for benches. The name of the model says how it answers: `d20-c300-g5` waits for 20 ms,
 * then streams 300 chunks with 5 ms between them. A request without `stream` gets as many words in one piece.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from './bench-process.ts';

interface Manner {
  delayMs: number;
  chunks: number;
  gapMs: number;
}

const head = '"id":"chatcmpl-bench","created":1763769600,"model":"bench-1"';
const chunk = (choices: string, more = '') =>
  Buffer.from(`data: {${head},"object":"chat.completion.chunk","choices":${choices}${more}}\n\n`);

const first = chunk(
  '[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]',
);
const word = chunk('[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}]');
const last = chunk('[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]');
const usageOf = (chunks: number) =>
  `"usage":{"prompt_tokens":20,"completion_tokens":${chunks},"total_tokens":${20 + chunks}}`;
const end = Buffer.from('data: [DONE]\n\n');

function whole(chunks: number): string {
  const message = `{"role":"assistant","content":"${' token'.repeat(chunks)}","refusal":null}`;
  const choices = `[{"index":0,"message":${message},"logprobs":null,"finish_reason":"stop"}]`;
  return `{${head},"object":"chat.completion","choices":${choices},${usageOf(chunks)}}`;
}

serve((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => answer(request, response, Buffer.concat(pieces).toString('latin1')));
});

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const manner = mannerOf(body);
  const respond = body.includes('"stream":true') ? stream : answerWhole;
  if (request.method !== 'POST') return void response.writeHead(405).end();
  if (manner.delayMs === 0) return void respond(response, manner);
  setTimeout(respond, manner.delayMs, response, manner);
}

function mannerOf(body: string): Manner {
  const [, delay, chunks, gap] = /"model":"(?:[a-z]+\/)?d(\d+)-c(\d+)-g(\d+)"/.exec(body) ?? [];
  return { delayMs: Number(delay ?? 0), chunks: Number(chunks ?? 1), gapMs: Number(gap ?? 0) };
}

function answerWhole(response: ServerResponse, { chunks }: Manner): void {
  const body = whole(chunks);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-request-id': 'req_bench',
  });
  response.end(body);
}

function stream(response: ServerResponse, { chunks, gapMs }: Manner): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_bench' });
  response.write(first);
  const usage = chunk('[]', `,${usageOf(chunks)}`);
  const finish = () => response.end(Buffer.concat([last, usage, end]));
  if (gapMs === 0) {
    writeAll(response, chunks).then(finish);
    return;
  }
  let written = 0;
  const timer = setInterval(() => {
    if (written < chunks && !response.destroyed) {
      response.write(word);
      written += 1;
      return;
    }
    clearInterval(timer);
    finish();
  }, gapMs);
}

/** As fast as they are read. */
async function writeAll(response: ServerResponse, chunks: number): Promise<void> {
  for (let written = 0; written < chunks && !response.destroyed; written++) {
    if (!response.write(word)) await new Promise((resolve) => response.once('drain', resolve));
  }
}
