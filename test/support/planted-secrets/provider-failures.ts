/** Provider failures of all kinds, with request content and the gateway's credential in their messages. */
import {
  eventStream,
  hangBeforeHeaders,
  jsonResponse,
  type Respond,
  resetBeforeHeaders,
  streamResponse,
} from '../providers/upstream-responses.ts';
import type { PlantedSecrets } from './secrets.ts';

const statuses = [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529, 418];

export function providerFailures({ content }: PlantedSecrets, credential: string): Respond[] {
  const message = `${content["provider's error"]}: "${content.prompt}" with key ${credential} is not allowed`;
  const headers = {
    'set-cookie': `session=${content["provider's header"]}`,
    'www-authenticate': `Bearer realm="${content["provider's header"]}", key="${credential}"`,
    server: content["provider's header"],
    'x-internal-trace': content["provider's header"],
  };
  const errors = [
    { error: { message, type: 'invalid_request_error', code: 'invalid_value' } },
    { type: 'error', error: { type: 'invalid_request_error', message }, request_id: 'req_1' },
    { error: { code: 400, status: 'INVALID_ARGUMENT', message, details: [{ reason: message }] } },
    { message, __type: 'ValidationException' },
    { detail: [{ loc: ['body'], msg: message, input: message }] },
    { error: message },
  ];
  const html = `<html><body><h1>${message}</h1></body></html>`;
  const errorResponses = statuses.flatMap((status, index) => [
    jsonResponse(errors[index % errors.length], { status, headers }),
    jsonResponse(index % 2 === 0 ? html : message, {
      status,
      headers: { ...headers, 'content-type': 'text/html' },
    }),
  ]);
  return [
    ...errorResponses,
    ...errors.map((error) => jsonResponse(error, { status: 400, headers })),
    jsonResponse('', {
      status: 307,
      headers: { ...headers, location: `http://127.0.0.1:1/?key=${credential}` },
    }),
    ...malformedResponses(message, headers),
    ...brokenStreams(message, content.completion),
    resetBeforeHeaders,
  ];
}

/** Each takes as long as the gateway's timeout. */
export const hangingResponses = (text: string): Respond[] => [
  hangBeforeHeaders,
  streamResponse([`data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`], { ending: 'hang' }),
];

/** Invalid responses with status 200. */
function malformedResponses(message: string, headers: Record<string, string>): Respond[] {
  const bodies = [
    message,
    `{"choices":[{"message":{"content":${JSON.stringify(message)}`,
    JSON.stringify([message]),
    JSON.stringify(message),
    '{}',
    '',
    JSON.stringify({ error: { message, code: 500 } }),
  ];
  return [
    ...bodies.map((body) => jsonResponse(body, { headers })),
    ({ response, disconnect }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
      response.write(`{"choices":[{"message":{"content":${JSON.stringify(message)}`, () =>
        disconnect('close'),
      );
    },
    ({ response }) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(message);
    },
  ];
}

/** `completion` is sent before the error, and may be forwarded to the caller. */
function brokenStreams(message: string, completion: string): Respond[] {
  const quoted = JSON.stringify(message);
  const first = `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"${completion}"}}]}\n\n`;
  const error = `data: {"error":{"message":${quoted},"type":"server_error","code":500}}\n\n`;
  return [
    streamResponse([error]),
    streamResponse([first, error]),
    streamResponse([
      first,
      `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":${quoted}}}\n\n`,
    ]),
    streamResponse([first, `data: {${quoted}\n\n`, 'data: [DONE]\n\n']),
    streamResponse([`${message}\n\n`, `: ${message}\n\n`, `data: ${message}\n\n`]),
    streamResponse([first], { ending: 'close' }),
    streamResponse([first], { ending: 'reset' }),
    streamResponse([Buffer.from(message)], {
      headers: { ...eventStream, 'content-type': 'application/vnd.amazon.eventstream' },
    }),
  ];
}
