import { currentRequestId } from '../telemetry/log.ts';

/** The headers that lead from a response without a log entry to its log lines; none outside an invocation. */
export function requestIdHeader(): Record<string, string> {
  const requestId = currentRequestId();
  return requestId === null ? {} : requestIdHeaders(requestId);
}

/** The SDKs of OpenAI read `x-request-id`: https://platform.openai.com/docs/api-reference/debugging-requests */
export function requestIdHeaders(requestId: string): Record<string, string> {
  return { 'x-gateway-request-id': requestId, 'x-request-id': requestId };
}
