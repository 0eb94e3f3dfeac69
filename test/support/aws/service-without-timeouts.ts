/** For tests with so many calls at once that a busy machine takes longer than the product waits. */
import { createJsonService, type JsonService } from '#lambdas/platform/aws/json-client.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { awsAccessAt } from './scripted-service.ts';

export function dynamoDbWithoutTimeouts(endpoint: string): JsonService {
  const [access, now] = [awsAccessAt(endpoint), () => new Date()];
  const service = createJsonService({
    service: 'dynamodb',
    access,
    now,
    attemptTimeoutMs: 2 * minuteMs,
  });
  return {
    call: (operation, input, _timeoutMs, retries) => service.call(operation, input, undefined, retries),
  };
}
