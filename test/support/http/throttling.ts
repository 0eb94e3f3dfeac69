/** Repeats requests that AWS throttles because the chat function has reached its reserved concurrency. */
import { setTimeout as delay } from 'node:timers/promises';

/** An invocation ends, and makes room for another one, only when its log entry is written. */
const retryDelayMs = 50;

/** `attempt` counts from 1. */
export async function retryWhileThrottled<Result>(
  send: (attempt: number) => Promise<Result>,
  wasThrottled: (result: Result) => boolean | Promise<boolean>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await send(attempt);
    if (!(await wasThrottled(result))) return result;
    await delay(retryDelayMs);
  }
}

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
