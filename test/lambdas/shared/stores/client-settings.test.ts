/** A client with the settings of the functions, before a table that does not answer. */
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it } from 'vitest';
import { tableClientSettings } from '../../../../lambdas/shared/stores/client-settings.ts';
import { type SilentService, startSilentService } from '../../../support/silent-service.ts';

let service: SilentService;
afterEach(() => service.stop());

it('lets a table take a second and a half, and asks it three times', async () => {
  service = await startSilentService();
  const client = new DynamoDBClient({
    ...tableClientSettings,
    endpoint: service.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const asked = client.send(new ListTablesCommand({}));

  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError', $metadata: { attempts: 3 } });
  expect(service.requests()).toBe(3);
  // What is above the time-outs is between the attempts.
  expect(Date.now()).toBeGreaterThanOrEqual(4500);
  expect(Date.now()).toBeLessThan(5000);
  client.destroy();
});
