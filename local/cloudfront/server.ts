/** Serves the template's distribution: its objects, and its REST API. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { messageOf } from '../local-gateway-error.ts';
import type { BucketContent } from '../s3/deployed-objects.ts';
import { respondFromBucket } from '../s3/object-response.ts';
import type { Behavior } from './behavior.ts';
import { type Compressor, createCompressor } from './compression.ts';
import { type Distribution, findBehavior } from './distribution.ts';
import { sendError } from './error-response.ts';
import { applyHeadersPolicy } from './response-headers-policy.ts';
import type { RestApiOrigin } from './rest-api-origin.ts';

interface DistributionServerOptions {
  distribution: Distribution;
  /** Origin of the local distribution, to which requests for another host are redirected. */
  publicOrigin: string;
  /** Content by bucket name. */
  buckets: ReadonlyMap<string, BucketContent>;
  restApi: RestApiOrigin;
  /** Called when a viewer function fails, and for unexpected errors. */
  onError: (message: string) => void;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  behavior: Behavior;
}

export function createDistributionServer(options: DistributionServerOptions): RequestListener {
  const compressor = createCompressor();
  return (request, response) => {
    handle({ ...options, compressor }, request, response).catch((error) => {
      options.onError(`${request.method} ${request.url?.split('?')[0]}: ${messageOf(error)}`);
      sendError(response, { status: 502, message: 'The local distribution failed.', headers: {} });
    });
  };
}

type Server = DistributionServerOptions & { compressor: Compressor };

async function handle(server: Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?');
  if (!path.startsWith('/')) {
    return sendError(response, { status: 400, message: 'The path must start with a slash.', headers: {} });
  }
  if (request.headers.host !== new URL(server.publicOrigin).host)
    return sendToPublicOrigin(server, request, response);
  const behavior = findBehavior(server.distribution, withoutDotSegments(path));
  const exchange = { request, response, behavior };
  const refusal = reasonToRefuse(exchange);
  if (refusal !== undefined) return fail(exchange, 403, refusal);
  const uri = await rewrite(server, exchange, path);
  if (uri === null) return fail(exchange, 503, 'The viewer function failed.');
  const { origin, headersPolicy } = behavior;
  if (origin.kind === 'bucket') return sendObject(server, exchange, { bucketName: origin.bucketName, uri });
  await server.restApi.forward({ request, response, headersPolicy, readTimeoutMs: origin.readTimeoutMs });
}

/**
 * CloudFront serves only its own domain names. Here, another host is usually `localhost`, where neither cookies nor
 * sign-in would work.
 */
function sendToPublicOrigin(
  { publicOrigin }: Server,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (isRead(request)) {
    response.writeHead(307, { location: `${publicOrigin}${request.url}` });
    response.end();
  } else {
    sendError(response, { status: 403, message: `The dashboard is at ${publicOrigin}.`, headers: {} });
  }
}

/** Behaviors are chosen by the normalized path; the origin gets the path as it was sent. */
function withoutDotSegments(path: string): string {
  return new URL(`http://viewer${path}`).pathname;
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function reasonToRefuse({ request, behavior }: Exchange): string | undefined {
  if (!behavior.allowedMethods.includes(request.method ?? '')) {
    return 'This distribution is not configured to allow the HTTP request method that was used for this request.';
  }
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (isRead(request) && (length !== '0' || encoding !== undefined)) return 'GET requests must have no body.';
  return undefined;
}

function fail({ response, behavior }: Exchange, status: 403 | 503, message: string): void {
  sendError(response, { status, message, headers: applyHeadersPolicy(behavior.headersPolicy, {}) });
}

/** Resolves to `null` when the viewer function fails. */
async function rewrite(
  server: Server,
  { request, behavior }: Exchange,
  path: string,
): Promise<string | null> {
  try {
    const uri = (await behavior.viewerFunction?.(request, path)) ?? path;
    return uri === '/' ? `/${server.distribution.defaultRootObject ?? ''}` : uri;
  } catch (error) {
    server.onError(`Viewer function: ${messageOf(error)}`);
    return null;
  }
}

async function sendObject(
  { buckets, compressor }: Server,
  { request, response, behavior }: Exchange,
  { bucketName, uri }: { bucketName: string; uri: string },
): Promise<void> {
  const { status, headers, body } = respondFromBucket(buckets.get(bucketName) ?? new Map(), {
    method: request.method ?? 'GET',
    path: uri,
    headers: request.headers,
  });
  const compressed = behavior.compresses
    ? await compressor({
        body,
        contentType: headers['content-type'],
        acceptEncoding: request.headers['accept-encoding'],
      })
    : null;
  response.writeHead(
    status,
    applyHeadersPolicy(behavior.headersPolicy, {
      ...headers,
      ...(compressed !== null && {
        'content-encoding': compressed.encoding,
        etag: `W/${headers.etag}`,
        vary: 'Accept-Encoding',
      }),
      ...(status !== 304 && { 'content-length': String((compressed?.body ?? body).length) }),
    }),
  );
  response.end(request.method === 'HEAD' ? undefined : (compressed?.body ?? body));
}
