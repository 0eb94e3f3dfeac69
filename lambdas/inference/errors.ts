/** Sends errors in the format of the caller's operation. */
import { renderError } from '#lambdas/platform/http/error-response.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import type { ErrorFormat, Failure } from './operation.ts';
import { countTokensPath } from './paths.ts';
import { sseEvent } from './providers/http/sse.ts';

/** OpenAI's format, also that of the paths without an operation. */
export const openAiErrors: ErrorFormat = {
  requestIdHeader: 'x-request-id',
  renderError: ({ error }) => renderError(error),
  renderErrorEvent: ({ error }) => sseEvent(error.toBody()),
};

/** Whether the format of a path without an operation is Anthropic's: all of its clients send this header. */
export function isAnthropicClient({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headers['anthropic-version'] !== undefined;
}

/**
 * The format of an endpoint without an operation, `null` if there is none: Anthropic's for its own endpoint, and for its
 * clients.
 */
export async function errorFormatOf(
  request: Pick<HttpRequest, 'headers'>,
  endpoint: string | null,
): Promise<ErrorFormat> {
  if (endpoint !== countTokensPath && !isAnthropicClient(request)) return openAiErrors;
  return (await import('./messages/errors.ts')).messagesErrors;
}

/** Sends an HTTP error or, once the stream has started, an error event; the stream then ends without its last event. */
export async function sendError(
  response: ResponseSink,
  failure: Failure,
  { format, headers }: { format: ErrorFormat; headers: Record<string, string> },
): Promise<void> {
  if (response.clientDisconnected || failure.original?.isSent) return;
  if (response.status !== null) {
    await response.write(format.renderErrorEvent(failure));
    return;
  }
  const rendered = format.renderError(failure);
  response.start(rendered.statusCode, { ...headers, ...rendered.headers });
  await response.end(rendered.body);
}
