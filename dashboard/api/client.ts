import type { ErrorBody } from '#lambdas/platform/errors.ts';
import type { KnownPath, ResponseTo } from './responses.ts';
import { readServerClock } from './server-clock.ts';

/** A call that failed. The message is written for the user. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Field of the request that was refused. */
  readonly param: string | null;
  /** The API's error code; `null` if the response was not the API's own. */
  readonly code: string | null;
  /** The id of what an earlier try of the same submission has created. */
  readonly createdId: string | null;
  /** By which the operator finds the call in the logs; `null` without a response. */
  requestId: string | null = null;

  constructor(
    message: string,
    status: number,
    param: string | null = null,
    code: string | null = null,
    createdId: string | null = null,
  ) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
    this.createdId = createdId;
  }
}

/** Not every 401 ends the session: test requests pass on that of the gateway for a revoked key. */
export function isSessionEnded(error: Error | null): boolean {
  return error instanceof ApiError && (error.code === 'invalid_session' || isRenewalDue(error));
}

export function isNotFound(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}

function isRenewalDue(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'session_renewal_due';
}

const baseUrl = '/dashboard/api';

/** The path with a query string of the parameters, without those that are not set or empty. */
export function withParameters<Path extends string>(path: Path, parameters: object): Path {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  // No part of the route.
  const suffix = query.size > 0 ? `?${query}` : '';
  return `${path}${suffix}` as Path;
}

export function get<Path extends string>(
  path: KnownPath<'GET', Path>,
  signal: AbortSignal,
): Promise<ResponseTo<'GET', Path>> {
  return call('GET', path, { signal });
}

/** Resolves to `null` if the response has no body. */
export function post<Path extends string>(
  path: KnownPath<'POST', Path>,
  body?: object,
  { idempotencyKey }: Pick<Options, 'idempotencyKey'> = {},
): Promise<ResponseTo<'POST', Path>> {
  return call('POST', path, { body, idempotencyKey });
}

export function patch<Path extends string>(
  path: KnownPath<'PATCH', Path>,
  body: object,
): Promise<ResponseTo<'PATCH', Path>> {
  return call('PATCH', path, { body });
}

export function put<Path extends string>(
  path: KnownPath<'PUT', Path>,
  body: object,
): Promise<ResponseTo<'PUT', Path>> {
  return call('PUT', path, { body });
}

export function remove<Path extends string>(path: KnownPath<'DELETE', Path>, body?: object): Promise<null> {
  return call('DELETE', path, { body });
}

/** Like `remove`, for what somebody else may already have removed: 404 counts as done. */
export async function removeIfPresent<Path extends string>(
  path: KnownPath<'DELETE', Path>,
  body?: object,
): Promise<void> {
  try {
    await remove(path, body);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

/** For a response that is not JSON. */
export function getForResponse(path: string): Promise<Response> {
  return send('GET', path, {});
}

/** For a response that is streamed: resolves with its status and headers, before its body. */
export function postForResponse(path: string, body: object, signal: AbortSignal): Promise<Response> {
  return send('POST', path, { body, signal });
}

interface Options {
  body?: object;
  signal?: AbortSignal;
  /** Tells the API that calls with the same id are one. */
  idempotencyKey?: string;
}

/** The type parameter is the body that the path's route states; it is not validated. */
async function call<T>(method: string, path: string, options: Options): Promise<T> {
  const response = await send(method, path, options);
  const text = await response.text();
  return JSON.parse(text || 'null');
}

/** Repeats a call once that was refused because the session is due for its renewal. */
async function send(method: string, path: string, options: Options): Promise<Response> {
  try {
    return await sendOnce(method, path, options);
  } catch (error) {
    if (!isRenewalDue(error)) throw error;
  }
  await renewSession();
  return sendOnce(method, path, options);
}

let renewal: Promise<unknown> | null = null;

/** One request for all calls that wait for it. */
function renewSession(): Promise<unknown> {
  renewal ??= sendOnce('GET', '/session', {}).finally(() => {
    renewal = null;
  });
  return renewal;
}

async function sendOnce(
  method: string,
  path: string,
  { body, signal, idempotencyKey }: Options,
): Promise<Response> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      'x-dashboard': '1',
      ...(body && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: body && JSON.stringify(body),
    signal,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError('The dashboard cannot be reached. Check your connection, then try again.', 0);
  });
  readServerClock(response, Date.now());
  if (!response.ok) {
    const error = await parseError(response);
    error.requestId = response.headers.get('x-amzn-requestid') ?? response.headers.get('x-request-id');
    throw error;
  }
  return response;
}

async function parseError(response: Response): Promise<ApiError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  if (isErrorBody(body)) {
    const { message, param, code } = body.error;
    return new ApiError(message, status, param, code, createdIdOf(body));
  }
  // Responses of the services in front of the API.
  if (status === 429)
    return new ApiError('There were too many requests. Wait a moment, then try again.', status);
  return new ApiError(
    `The service is unavailable at the moment (status ${status}). Try again shortly.`,
    status,
  );
}

function createdIdOf(body: object): string | null {
  const created: unknown = 'created' in body ? body.created : null;
  if (typeof created !== 'object' || created === null || !('id' in created)) return null;
  return typeof created.id === 'string' ? created.id : null;
}

function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof body.error === 'object' &&
    body.error !== null &&
    'message' in body.error
  );
}
