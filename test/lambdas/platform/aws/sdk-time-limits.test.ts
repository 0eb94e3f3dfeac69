import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it, vi } from 'vitest';
import { sdkTimeLimits } from '#lambdas/platform/aws/sdk-time-limits.ts';
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('returns 503 after a timeout when DynamoDB accepts a call and never responds', async () => {
  recordLogLines();
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { port } = server.address() as AddressInfo;
  const client = new DynamoDBClient({
    ...sdkTimeLimits,
    maxAttempts: 1,
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const failed = client.send(new ListTablesCommand()).catch((error: unknown) => error);
  await once(server, 'request');
  vi.advanceTimersByTime(5000);

  const error = await failed;
  expect(error).toMatchObject({ name: 'TimeoutError' });
  expect(toGatewayError(error)).toMatchObject({ status: 503, code: 'service_unavailable' });
  server.closeAllConnections();
  server.close();
});

it("ends all attempts together within API Gateway's timeout of 29 seconds", () => {
  const { maxAttempts, requestHandler } = sdkTimeLimits;
  expect(maxAttempts * (requestHandler.connectionTimeout + requestHandler.requestTimeout)).toBeLessThan(
    29_000,
  );
});
