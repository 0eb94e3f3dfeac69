import { currentRequestId } from '../log.ts';

/** The header that leads from a response without a log entry to its log lines; none outside an invocation. */
export function requestIdHeader(): Record<string, string> {
  const requestId = currentRequestId();
  return requestId === null ? {} : { 'x-gateway-request-id': requestId };
}
