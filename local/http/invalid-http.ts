/** Requests that Node.js refuses by itself, with empty responses: here they get errors in OpenAI's shape. */
import { maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

interface Refusal {
  status: number;
  message: string;
  code: 'invalid_request_error' | 'request_too_large';
  param?: 'expect' | 'host';
}

const invalidHttp: Refusal = {
  status: 400,
  message: 'The request is not valid HTTP.',
  code: 'invalid_request_error',
};

/** By the code of the error that Node.js reports. */
const refusalsByError: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    message: `The headers of the request are larger than ${maxHeaderSize / 1024} KB.`,
    code: 'request_too_large',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    message: 'The chunk extensions of the request are too large.',
    code: 'request_too_large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request took too long to arrive.',
    code: 'invalid_request_error',
  },
};

/** The server must not require the header itself: it would send an empty response. */
export function refuseMissingHost(response: ServerResponse): void {
  refuse(response, {
    status: 400,
    message: 'The request has no Host header.',
    code: 'invalid_request_error',
    param: 'host',
  });
}

export function refuseInvalidHttp(server: Server): void {
  const responses = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (_request, response) => responses.set(response.req.socket, response));
  server.on('checkExpectation', (_request, response) => {
    refuse(response, {
      status: 417,
      message: 'The only supported value of the Expect header is 100-continue.',
      code: 'invalid_request_error',
      param: 'expect',
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = responses.get(socket);
    const hasBegun = response?.headersSent === true && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) socket.destroy(error);
    else socket.end(renderResponse(refusalsByError[error.code ?? ''] ?? invalidHttp));
  });
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  const body = renderBody(refusal);
  response.writeHead(refusal.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

/** For a socket whose request has no `ServerResponse`. */
function renderResponse(refusal: Refusal): string {
  const body = renderBody(refusal);
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

function renderBody({ message, param, code }: Refusal): string {
  return JSON.stringify({
    error: { message, type: 'invalid_request_error', param: param ?? null, code },
  });
}
