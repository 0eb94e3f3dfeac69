/** `POST /ai/chat/completions`: who is asking, the answer, the log entry. Behind the Function URL, the models too. */
import type { Writable } from 'node:stream';
import type { GatewayError } from '../shared/domain/gateway-error.ts';
import type { Authenticate } from '../shared/http/authenticate.ts';
import { asGatewayError, renderError } from '../shared/http/error-response.ts';
import { type HttpEvent, readHttpRequest } from '../shared/http/http-request.ts';
import {
  createStreamedResponse,
  type StreamedResponse,
  type WithMetadata,
} from '../shared/http/streamed-response.ts';
import type { ModelsEndpoint } from '../shared/models-endpoint.ts';
import { type CompleteServices, complete, type Exchange } from './complete.ts';
import { shareRemainingTime } from './limits.ts';
import { startLogDraft } from './log-draft.ts';
import { findRoute } from './routes.ts';
import { writeEntry } from './write-entry.ts';

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
