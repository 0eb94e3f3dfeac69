import { currentRequestId } from '../telemetry/log.ts';

/**
 * The SDKs of OpenAI read the first (https://platform.openai.com/docs/api-reference/debugging-requests), those of Anthropic
 * the second (https://platform.claude.com/docs/en/api/errors#request-id).
 */
export type RequestIdHeader = 'x-request-id' | 'request-id';

/** The headers that lead from a response without a log entry to its log lines; none outside an invocation. */
export function requestIdHeader(name: RequestIdHeader = 'x-request-id'): Record<string, string> {
  const requestId = currentRequestId();
  return requestId === null ? {} : requestIdHeaders(requestId, name);
}

export function requestIdHeaders(requestId: string, name: RequestIdHeader): Record<string, string> {
  return { 'x-gateway-request-id': requestId, [name]: requestId };
}
