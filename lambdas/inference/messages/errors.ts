/** Errors in Anthropic's format. https://platform.claude.com/docs/en/api/errors */
import type { ErrorFormat, Failure } from '../operation.ts';

export const messagesErrors: ErrorFormat = {
  requestIdHeader: 'request-id',
  renderError(failure) {
    const { error, original } = failure;
    return {
      statusCode: original?.status ?? error.status,
      headers: { 'content-type': 'application/json', ...error.headers, ...retryAdvice(failure) },
      body: bodyOf(failure),
    };
  },
  // A line break would end the field.
  renderErrorEvent: (failure) =>
    Buffer.from(`event: error\ndata: ${bodyOf(failure).replace(/[\r\n]+/g, ' ')}\n\n`),
};

function bodyOf({ error, original, requestId }: Failure): string {
  if (original !== null) return original.body;
  const { status, message } = error;
  return JSON.stringify({
    type: 'error',
    error: { type: errorTypeOf(status), message },
    request_id: requestId,
  });
}

/** Anthropic's types of statuses. Any other client error is an invalid request, and any other error one of the API. */
const errorTypes: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

function errorTypeOf(status: number): string {
  return errorTypes.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** Anthropic's SDKs repeat every 5xx, but only the operator can replace a credential. */
function retryAdvice({ error: { code } }: Failure): Record<string, string> {
  return code === 'provider_authentication_failed' ? { 'x-should-retry': 'false' } : {};
}
