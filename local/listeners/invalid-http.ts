/** Sends errors in OpenAI's format for requests that Node.js would reject with an empty response. */
import { maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

interface ErrorResponse {
  status: number;
  message: string;
  code: 'invalid_request_error' | 'request_too_large';
  param?: 'expect' | 'host';
}

const invalidHttpResponse: ErrorResponse = {
  status: 400,
  message: 'The request is not valid HTTP.',
  code: 'invalid_request_error',
};

const responsesByErrorCode: Record<string, ErrorResponse> = {
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

/** The server must be created with `requireHostHeader: false`. Otherwise Node.js itself sends an empty response. */
export function rejectMissingHost(response: ServerResponse): void {
  sendError(response, {
    status: 400,
    message: 'The request has no Host header.',
    code: 'invalid_request_error',
    param: 'host',
  });
}

export function handleInvalidHttp(server: Server): void {
  const responses = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (_request, response) => responses.set(response.req.socket, response));
  server.on('checkExpectation', (_request, response) => {
    sendError(response, {
      status: 417,
      message: 'The only supported value of the Expect header is 100-continue.',
      code: 'invalid_request_error',
      param: 'expect',
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = responses.get(socket);
    const hasStarted = response?.headersSent === true && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || hasStarted) socket.destroy(error);
    else socket.end(renderResponse(responsesByErrorCode[error.code ?? ''] ?? invalidHttpResponse));
  });
}

function sendError(response: ServerResponse, error: ErrorResponse): void {
  const body = renderBody(error);
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

/** Renders the response for a socket whose request has no `ServerResponse`. */
function renderResponse(error: ErrorResponse): string {
  const body = renderBody(error);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

function renderBody({ message, param, code }: ErrorResponse): string {
  return JSON.stringify({
    error: { message, type: 'invalid_request_error', param: param ?? null, code },
  });
}
