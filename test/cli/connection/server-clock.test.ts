import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, it } from 'vitest';
import { createServerClock } from '#cli/connection/server-clock.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { type FakeAwsService, startFakeAwsService } from '#test/support/aws/fake-service.ts';

let service: FakeAwsService | undefined;

afterEach(() => service?.stop());

const minuteMs = 60_000;

/** Returns the correction for a machine whose clock is `aheadMs` ahead of a service that responds after `latencyMs`. */
async function correction(aheadMs: number, latencyMs = 0): Promise<{ before: number; after: number }> {
  let machineMs = Date.now() + aheadMs;
  service = await startFakeAwsService(() => {
    machineMs += latencyMs;
    return { body: '{}' };
  });
  const client = new DynamoDBClient({
    endpoint: service.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const now = createServerClock(client, () => machineMs);
  const difference = () => now().getTime() - machineMs;
  const before = difference();
  await createDocumentClient(client).send(new GetCommand({ TableName: 'T', Key: { pk: '1' } }));
  machineMs += minuteMs;
  client.destroy();
  return { before, after: difference() };
}

it('uses the clock of this machine while both clocks agree', async () => {
  expect(await correction(0)).toEqual({ before: 0, after: 0 });
});

it.each([10 * minuteMs, -10 * minuteMs])(
  'uses the clock of the service when the clock of this machine is off by %i ms',
  async (aheadMs) => {
    const { before, after } = await correction(aheadMs);

    expect(before).toBe(0);
    // The Date header has whole seconds, so the correction is accurate to half a second. A busy machine adds delays.
    expect(Math.abs(after + aheadMs)).toBeLessThanOrEqual(1500);
  },
);

it('uses the clock of this machine after a slow response', async () => {
  expect(await correction(10 * minuteMs, 3000)).toEqual({ before: 0, after: 0 });
});
