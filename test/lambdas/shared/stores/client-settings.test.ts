/** A client with the settings of the functions, before a table that does not answer. */
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it } from 'vitest';
import { isServiceAway } from '../../../../lambdas/shared/http/service-failure.ts';
import { tableClientSettings } from '../../../../lambdas/shared/stores/client-settings.ts';
import { type SilentService, startSilentService } from '../../../support/silent-service.ts';

let service: SilentService;
afterEach(() => service.stop());

const clientOf = ({ endpoint }: SilentService) => ({
  ...tableClientSettings,
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

it('lets a table take a second and a half, and asks it three times', async () => {
  service = await startSilentService();
  const client = new DynamoDBClient(clientOf(service));
  const asked = client.send(new ListTablesCommand({}));

  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError', $metadata: { attempts: 3 } });
  expect(service.requests()).toBe(3);
  // What is above the time-outs is between the attempts.
  expect(Date.now()).toBeGreaterThanOrEqual(4500);
  expect(Date.now()).toBeLessThan(5000);
  client.destroy();
});

it('does not wait for the rest of an answer that has begun, and takes the table to be away', async () => {
  service = await startSilentService({ begins: true });
  // A socket's own time-out goes by no clock that a test can move.
  const client = new DynamoDBClient({ ...clientOf(service), maxAttempts: 1 });
  const failure: unknown = await client.send(new ListTablesCommand({})).catch((error: unknown) => error);

  expect(failure).toMatchObject({ name: 'TimeoutError', $metadata: { attempts: 1 } });
  expect(isServiceAway(failure)).toBe(true);
  client.destroy();
});
