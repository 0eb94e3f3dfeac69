/** Forwards requests to the local REST API, with the origin request policy AllViewerExceptHostHeader. */
import {
  Agent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream/promises';
import { sendError } from './error-response.ts';
import { applyHeadersPolicy, type HeadersPolicy } from './response-headers-policy.ts';
import { fromSafariCookies, isSafari, toSafariCookie } from './safari-cookies.ts';

export interface RestApiOrigin {
  /** Streams the request and the response. */
  forward(exchange: {
    request: IncomingMessage;
    response: ServerResponse;
    headersPolicy: HeadersPolicy;
    readTimeoutMs: number;
  }): Promise<void>;
  close(): void;
}

/** Headers that belong to one connection, and `host`. Node needs `transfer-encoding` to send a body in chunks. */
const headersNotForwarded = ['connection', 'expect', 'host', 'keep-alive', 'te', 'trailer', 'upgrade'];

const headersNotReturned = ['connection', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade'];

const errorMessages = {
  502: 'The origin could not be reached, or closed the connection.',
  504: 'The origin did not respond in time.',
};

/** `restApiOrigin` is the origin of the local REST API. */
export function connectToRestApi(restApiOrigin: string): RestApiOrigin {
  const agent = new Agent({ keepAlive: true });
  return {
    close: () => agent.destroy(),
    async forward({ request, response, headersPolicy, readTimeoutMs }) {
      const originResponse = await send(restApiOrigin, { request, response, readTimeoutMs, agent });
      if (typeof originResponse === 'number') {
        const headers = applyHeadersPolicy(headersPolicy, {});
        return sendError(response, {
          status: originResponse,
          message: errorMessages[originResponse],
          headers,
        });
      }
      const headers = returnedHeaders(originResponse, request);
      response.writeHead(originResponse.statusCode ?? 502, applyHeadersPolicy(headersPolicy, headers));
      response.flushHeaders();
      // An error of one side closes the other.
      await pipeline(originResponse, response).catch(() => response.destroy());
    },
  };
}

/** Resolves to the response, or to the status of the error. */
function send(
  restApiOrigin: string,
  exchange: { request: IncomingMessage; response: ServerResponse; readTimeoutMs: number; agent: Agent },
): Promise<IncomingMessage | keyof typeof errorMessages> {
  const { request, response, readTimeoutMs, agent } = exchange;
  return new Promise((resolve) => {
    const { hostname, port } = new URL(restApiOrigin);
    const outgoing = httpRequest({
      hostname,
      port,
      // As it was sent: a URL would be normalized.
      path: request.url,
      method: request.method ?? 'GET',
      agent,
      headers: forwardedHeaders(request),
      timeout: readTimeoutMs,
    });
    outgoing.once('response', resolve);
    outgoing.once('timeout', () => {
      resolve(504);
      outgoing.destroy();
    });
    outgoing.on('error', () => resolve(502));
    response.once('close', () => {
      if (!response.writableFinished) outgoing.destroy();
    });
    // Not a pipeline, which would close the connection of the viewer together with that to the origin.
    request.pipe(outgoing);
  });
}

function forwardedHeaders({ headers, headersDistinct }: IncomingMessage): OutgoingHttpHeaders {
  const forwarded = without(headersDistinct, headersNotForwarded);
  const { cookie } = forwarded;
  const changes = isSafari(headers['user-agent']) && cookie !== undefined;
  return changes ? { ...forwarded, cookie: cookie.map(fromSafariCookies) } : forwarded;
}

function returnedHeaders(
  { headersDistinct }: IncomingMessage,
  { headers }: IncomingMessage,
): OutgoingHttpHeaders {
  const returned = without(headersDistinct, headersNotReturned);
  const { 'set-cookie': cookies } = returned;
  const changes = isSafari(headers['user-agent']) && cookies !== undefined;
  return changes ? { ...returned, 'set-cookie': cookies.map(toSafariCookie) } : returned;
}

function without(headers: NodeJS.Dict<string[]>, names: readonly string[]): NodeJS.Dict<string[]> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
