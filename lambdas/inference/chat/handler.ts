/** `POST /ai/chat/completions`: who is asking, the answer, the log entry. Behind the Function URL, the models too. */
import type { Writable } from 'node:stream';
import type { Authenticate } from '#lambdas/access/authenticate.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { asGatewayError, renderError } from '#lambdas/platform/http/error-response.ts';
import { type HttpEvent, type HttpRequest, readHttpRequest } from '#lambdas/platform/http/request.ts';
import {
  createStreamedResponse,
  type StreamedResponse,
  type WithMetadata,
} from '#lambdas/platform/http/streamed-response.ts';
import type { ModelsEndpoint } from '../models/endpoint.ts';
import { type CompleteServices, complete, type Exchange } from './complete.ts';
import { shareRemainingTime } from './limits.ts';
import { startLogDraft } from './log-record.ts';
import { writeEntry } from './write-record.ts';
export interface ChatServices extends CompleteServices {
  authenticate: Authenticate;
  loadModelsEndpoint: () => Promise<ModelsEndpoint>;
  withMetadata: WithMetadata;
}

export type ChatHandler = (
  event: HttpEvent,
  responseStream: Writable,
  context: { getRemainingTimeInMillis(): number },
) => Promise<void>;

/** Logged when the caller left before there was a status to send; nginx made the number common. */
const callerGoneStatus = 499;

export function createChatHandler(services: ChatServices): ChatHandler {
  return async (event, responseStream, context) => {
    const receivedAtMs = services.now().getTime();
    const remainingMs = () => context.getRemainingTimeInMillis();
    const response = createStreamedResponse(responseStream, services.withMetadata);
    response.giveUpAfter(shareRemainingTime(remainingMs()).callerMs);
    try {
      const request = readHttpRequest(event);
      const route = findRoute(request);
      const apiKey = await services.authenticate(
        request.headers.authorization,
        services.credentials.prefetch,
      );
      if (route.kind === 'models') return await answerModels(services, response, route);
      const draft = startLogDraft(apiKey, receivedAtMs);
      const headers = { 'x-gateway-request-id': draft.id };
      await serve(services, { event, request, response, headers, draft, remainingMs });
    } catch (error) {
      await answerWithError(response, asGatewayError(error), {});
    }
  };
}

async function answerModels(
  services: ChatServices,
  response: StreamedResponse,
  { id }: { id: string },
): Promise<void> {
  const endpoint = await services.loadModelsEndpoint();
  const body = await endpoint({ id });
  response.start(200, { 'content-type': 'application/json' });
  await response.end(JSON.stringify(body));
}

async function serve(services: ChatServices, exchange: Exchange): Promise<void> {
  const { response, headers, draft } = exchange;
  try {
    await complete(services, exchange);
  } catch (error) {
    draft.error = asGatewayError(error);
    await answerWithError(response, draft.error, headers);
  }
  await response.end();
  draft.callerGone = response.callerGone;
  await writeEntry(services, draft, response.status ?? callerGoneStatus);
}

async function answerWithError(
  response: StreamedResponse,
  error: GatewayError,
  headers: Record<string, string>,
): Promise<void> {
  if (response.status === null && !response.callerGone) {
    const rendered = renderError(error);
    response.start(rendered.statusCode, { ...headers, ...rendered.headers });
    await response.end(rendered.body);
  }
  await response.end();
}

// The routes of the chat function. A Function URL takes every path and method.

export type Route =
  | { kind: 'chat' }
  /** Without an id, the list of all. */
  | { kind: 'models'; id: string };

const chatPath = '/ai/chat/completions';
const modelsPath = '/ai/models';

/** Throws a `GatewayError` (404, 405) for whatever is no route. */
export function findRoute({ path, method }: HttpRequest): Route {
  if (path === chatPath) {
    requireMethod('POST', path, method);
    return { kind: 'chat' };
  }
  if (path === modelsPath || /^\/ai\/models\/./.test(path)) {
    requireMethod('GET', path, method);
    return { kind: 'models', id: path.slice(modelsPath.length + 1) };
  }
  throw new GatewayError('not_found', {
    message: `There is nothing here: chat completions are at ${chatPath}, models at ${modelsPath}`,
  });
}

function requireMethod(allowed: string, path: string, method: string): void {
  if (method === allowed) return;
  throw new GatewayError('method_not_allowed', {
    message: `${path} takes ${allowed}, not ${method}`,
    headers: { allow: allowed },
  });
}
