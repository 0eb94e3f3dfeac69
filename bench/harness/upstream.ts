/**
 * Fakes a provider in OpenAI's format, also that of `/v1/responses`, at `/v1/messages` in Anthropic's, and at `/v1beta` in
 * Google's. The name of the model, or that of the user, defines the response: `d20-c300-g5` waits for 20 ms, then streams 300
 * chunks, 5 ms apart. A request without `stream` gets 300 words as a whole.
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

const usageOf = (chunks: number) =>
  `"usage":{"prompt_tokens":20,"completion_tokens":${chunks},"total_tokens":${20 + chunks}}`;

function completion(chunks: number): string {
  const message = `{"role":"assistant","content":"${' token'.repeat(chunks)}","refusal":null}`;
  const choices = `[{"index":0,"message":${message},"logprobs":null,"finish_reason":"stop"}]`;
  return `{${head},"object":"chat.completion","choices":${choices},${usageOf(chunks)}}`;
}

/** The responses of a provider. */
interface Api {
  /** The body for as many tokens. */
  whole(chunks: number): string;
  opening: Buffer;
  token: Buffer;
  closing(chunks: number): Buffer;
}

const chatApi: Api = {
  whole: completion,
  opening: delta('"role":"assistant","content":""', 'null'),
  token: delta('"content":" token"', 'null'),
  closing: (chunks) =>
    Buffer.concat([delta('', '"stop"'), chunk('[]', `,${usageOf(chunks)}`), Buffer.from('data: [DONE]\n\n')]),
};

const messageHead = '"id":"msg_bench","type":"message","role":"assistant","model":"bench-1"';
const messageEvent = (type: string, fields = '') =>
  Buffer.from(`event: ${type}\ndata: {"type":"${type}"${fields}}\n\n`);

const messagesApi: Api = {
  whole: (chunks) =>
    `{${messageHead},"content":[{"type":"text","text":"${' token'.repeat(chunks)}"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":20,"output_tokens":${chunks}}}`,
  opening: Buffer.concat([
    messageEvent(
      'message_start',
      `,"message":{${messageHead},"content":[],"stop_reason":null,"usage":{"input_tokens":20,"output_tokens":1}}`,
    ),
    messageEvent('content_block_start', ',"index":0,"content_block":{"type":"text","text":""}'),
  ]),
  // Padded to the size of a chunk of a chat.
  token: messageEvent(
    'content_block_delta',
    `,"index":0,"delta":{"type":"text_delta","text":"${' token'.padEnd(78)}"}`,
  ),
  closing: (chunks) =>
    Buffer.concat([
      messageEvent('content_block_stop', ',"index":0'),
      messageEvent(
        'message_delta',
        `,"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":${chunks}}`,
      ),
      messageEvent('message_stop'),
    ]),
};

const responseHead =
  '"id":"resp_bench","object":"response","created_at":1763769600,"background":false,"error":null,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"model":"bench-1","parallel_tool_calls":true,"previous_response_id":null,"prompt_cache_key":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":false,"temperature":1,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1,"truncation":"disabled","user":null,"metadata":{}';
const responseEvent = (type: string, fields: string, sequenceNumber: number) =>
  Buffer.from(
    `event: response.${type}\ndata: {"type":"response.${type}",${fields},"sequence_number":${sequenceNumber}}\n\n`,
  );
const outputText = (text: string) => `{"type":"output_text","annotations":[],"logprobs":[],"text":"${text}"}`;
const outputMessage = (status: string, content: string) =>
  `{"id":"msg_bench","type":"message","status":"${status}","content":[${content}],"role":"assistant"}`;
const unfinishedResponse = `"response":{${responseHead},"status":"in_progress","completed_at":null,"output":[],"usage":null}`;
const place = '"item_id":"msg_bench","output_index":0,"content_index":0';

function finishedResponse(chunks: number): string {
  const item = outputMessage('completed', outputText(' token'.repeat(chunks)));
  const usage = `{"input_tokens":20,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":${chunks},"output_tokens_details":{"reasoning_tokens":0},"total_tokens":${20 + chunks}}`;
  return `{${responseHead},"status":"completed","completed_at":1763769601,"output":[${item}],"usage":${usage}}`;
}

const responsesApi: Api = {
  whole: finishedResponse,
  opening: Buffer.concat([
    responseEvent('created', unfinishedResponse, 0),
    responseEvent('in_progress', unfinishedResponse, 1),
    responseEvent('output_item.added', `"output_index":0,"item":${outputMessage('in_progress', '')}`, 2),
    responseEvent('content_part.added', `${place},"part":${outputText('')}`, 3),
  ]),
  // Padded to the size of a chunk of a chat.
  token: responseEvent('output_text.delta', `${place},"delta":"${' token'.padEnd(12)}","logprobs":[]`, 4),
  // The last events repeat the text.
  closing(chunks) {
    const text = ' token'.repeat(chunks);
    const item = outputMessage('completed', outputText(text));
    return Buffer.concat([
      responseEvent('output_text.done', `${place},"text":"${text}","logprobs":[]`, chunks + 4),
      responseEvent('content_part.done', `${place},"part":${outputText(text)}`, chunks + 5),
      responseEvent('output_item.done', `"output_index":0,"item":${item}`, chunks + 6),
      responseEvent('completed', `"response":${finishedResponse(chunks)}`, chunks + 7),
    ]);
  },
};

const googleResponse = (text: string, chunks: number, finish = '') =>
  `{"candidates":[{"content":{"parts":[{"text":"${text}"}],"role":"model"},"index":0${finish}}],"usageMetadata":{"promptTokenCount":20,"candidatesTokenCount":${chunks},"totalTokenCount":${20 + chunks}},"modelVersion":"bench-1","responseId":"bench"}`;
const googleEvent = (data: string) => Buffer.from(`data: ${data}\r\n\r\n`);
const finished = ',"finishReason":"STOP"';

const googleApi: Api = {
  whole: (chunks) => googleResponse(' token'.repeat(chunks), chunks, finished),
  opening: Buffer.alloc(0),
  token: googleEvent(googleResponse(' token', 1)),
  closing: (chunks) => googleEvent(googleResponse('', chunks, finished)),
};

/** By the last part of the path. */
const apis: Readonly<Record<string, Api>> = { messages: messagesApi, responses: responsesApi };

serve((request, response) => {
  const received: Buffer[] = [];
  request.on('data', (bytes: Buffer) => received.push(bytes));
  request.once('end', () => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { url = '' } = request;
    const body = Buffer.concat(received).toString('latin1');
    if (url.startsWith('/v1beta/')) return respondAs(googleApi, { response, body: requestAt(url) });
    respondAs(apis[url.split('/').at(-1) ?? ''] ?? chatApi, { response, body });
  });
}, lastEndMs);

/** Google has the model and the form of the response in the path. */
function requestAt(url: string): string {
  const [, model = '', method = ''] = /models\/([^:]+):(\w+)/.exec(url) ?? [];
  return `{"model":"${model}","stream":${method.startsWith('stream')}}`;
}

function respondAs(api: Api, { response, body }: { response: ServerResponse; body: string }): void {
  const scenario = parseScenario(body);
  const send = body.includes('"stream":true') ? sendStream : sendCompletion;
  if (scenario.delayMs === 0) send(response, scenario, api);
  else setTimeout(send, scenario.delayMs, response, scenario, api);
}

function parseScenario(body: string): Scenario {
  const [, delay, chunks, gap] = /"(?:model|user)":"(?:[a-z]+\/)?d(\d+)-c(\d+)-g(\d+)"/.exec(body) ?? [];
  return { delayMs: Number(delay ?? 0), chunks: Number(chunks ?? 1), gapMs: Number(gap ?? 0) };
}

function sendCompletion(response: ServerResponse, { chunks }: Scenario, api: Api): void {
  const body = api.whole(chunks);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-request-id': 'req_bench',
  });
  response.end(body);
}

async function sendStream(response: ServerResponse, scenario: Scenario, api: Api): Promise<void> {
  const { chunks, gapMs } = scenario;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_bench' });
  response.write(api.opening);
  await (gapMs === 0 ? sendTokens(response, chunks, api) : sendTokensSpaced(response, scenario, api));
  lastEndMs[chunks] = performance.timeOrigin + performance.now();
  response.end(api.closing(chunks));
}

/** Sends chunks as fast as the client reads them. */
async function sendTokens(response: ServerResponse, chunks: number, { token }: Api): Promise<void> {
  for (let sent = 0; sent < chunks && !response.destroyed; sent += 1) {
    if (!response.write(token)) await new Promise((resolve) => response.once('drain', resolve));
  }
}

function sendTokensSpaced(
  response: ServerResponse,
  { chunks, gapMs }: Scenario,
  { token }: Api,
): Promise<void> {
  return new Promise((resolve) => {
    let sent = 0;
    const timer = setInterval(() => {
      if (sent < chunks && !response.destroyed) {
        response.write(token);
        sent += 1;
        return;
      }
      clearInterval(timer);
      resolve();
    }, gapMs);
  });
}
