/** Everything that a provider can do wrong, with the caller's words and the gateway's credential in whatever it says. */
import {
  eventStream,
  hangBeforeHeaders,
  jsonResponse,
  type Respond,
  resetBeforeHeaders,
  streamResponse,
} from '../providers/upstream-responses.ts';
import type { Canaries } from './canaries.ts';

const statuses = [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529, 418];

export function providerFailures({ content }: Canaries, credential: string): Respond[] {
  const said = `${content["provider's error"]}: "${content.prompt}" with key ${credential} is not allowed`;
  const headers = {
    'set-cookie': `session=${content["provider's header"]}`,
    'www-authenticate': `Bearer realm="${content["provider's header"]}", key="${credential}"`,
    server: content["provider's header"],
    'x-internal-trace': content["provider's header"],
  };
  const errors = [
    { error: { message: said, type: 'invalid_request_error', code: 'invalid_value' } },
    { type: 'error', error: { type: 'invalid_request_error', message: said }, request_id: 'req_1' },
    { error: { code: 400, status: 'INVALID_ARGUMENT', message: said, details: [{ reason: said }] } },
    { message: said, __type: 'ValidationException' },
    { detail: [{ loc: ['body'], msg: said, input: said }] },
    { error: said },
  ];
  const html = `<html><body><h1>${said}</h1></body></html>`;
  const refusals = statuses.flatMap((status, index) => [
    jsonResponse(errors[index % errors.length], { status, headers }),
    jsonResponse(index % 2 === 0 ? html : said, {
      status,
      headers: { ...headers, 'content-type': 'text/html' },
    }),
  ]);
  return [
    ...refusals,
    ...errors.map((error) => jsonResponse(error, { status: 400, headers })),
    jsonResponse('', {
      status: 307,
      headers: { ...headers, location: `http://127.0.0.1:1/?key=${credential}` },
    }),
    ...garbage(said, headers),
    ...brokenStreams(said, content.answer),
    resetBeforeHeaders,
  ];
}

/** A hanging one takes as long as the gateway waits. */
export const hanging = (text: string): Respond[] => [
  hangBeforeHeaders,
  streamResponse([`data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`], { ending: 'hang' }),
];

/** Answers of status 200 that are none. */
function garbage(said: string, headers: Record<string, string>): Respond[] {
  const bodies = [
    said,
    `{"choices":[{"message":{"content":${JSON.stringify(said)}`,
    JSON.stringify([said]),
    JSON.stringify(said),
    '{}',
    '',
    JSON.stringify({ error: { message: said, code: 500 } }),
  ];
  return [
    ...bodies.map((body) => jsonResponse(body, { headers })),
    ({ response, cut }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
      response.write(`{"choices":[{"message":{"content":${JSON.stringify(said)}`, () => cut('close'));
    },
    ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(said);
    },
  ];
}

/** What was said before an error is an answer, and goes on to the caller as it came. */
function brokenStreams(said: string, answer: string): Respond[] {
  const quoted = JSON.stringify(said);
  const first = `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"${answer}"}}]}\n\n`;
  const error = `data: {"error":{"message":${quoted},"type":"server_error","code":500}}\n\n`;
  return [
    streamResponse([error]),
    streamResponse([first, error]),
    streamResponse([
      first,
      `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":${quoted}}}\n\n`,
    ]),
    streamResponse([first, `data: {${quoted}\n\n`, 'data: [DONE]\n\n']),
    streamResponse([`${said}\n\n`, `: ${said}\n\n`, `data: ${said}\n\n`]),
    streamResponse([first], { ending: 'close' }),
    streamResponse([first], { ending: 'reset' }),
    streamResponse([Buffer.from(said)], {
      headers: { ...eventStream, 'content-type': 'application/vnd.amazon.eventstream' },
    }),
  ];
}
