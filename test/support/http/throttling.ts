/** Requests that AWS rejects while the chat function runs as many as its reserved concurrency allows. */

/** Function invocations end, and make room for others, only when their log entries are written. */
export const throttledRetryDelayMs = 50;

/**
 * `requestId` is the response's `x-gateway-request-id`, which a provider's 429 has. API Gateway's 503 is the same for a
 * throttled and for a failed function.
 */
export function isThrottled(response: {
  status: number | undefined;
  requestId: unknown;
  body: string;
}): boolean {
  const { status, requestId, body } = response;
  if (typeof requestId === 'string') return false;
  return status === 429 || (status === 503 && body.includes('cannot take the request now'));
}
