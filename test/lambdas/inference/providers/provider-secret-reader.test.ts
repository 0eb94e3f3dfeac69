import { afterEach, expect, it } from 'vitest';
import { createProviderSecretReader } from '#lambdas/inference/providers/credentials.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { type FakeSecretsManager, startFakeSecretsManager } from '#test/support/fake-secrets-manager.ts';
import { accessTo } from '#test/support/scripted-service.ts';

let service: FakeSecretsManager;
afterEach(() => service.stop());

async function readerOf(value?: string, secretId?: string) {
  service = await startFakeSecretsManager(value);
  const access = accessTo(service.endpoint);
  const secretsManager = createJsonService({ service: 'secretsmanager', access, now: () => new Date() });
  return createProviderSecretReader(secretsManager, secretId ?? service.secretId);
}

it('reads the credentials by provider', async () => {
  const read = await readerOf('{"openai":{"api_key":"one"},"groq":{"api_key":"two"}}');

  expect({ ...(await read()) }).toEqual({ openai: { api_key: 'one' }, groq: { api_key: 'two' } });
  expect(service.requests).toEqual([
    { operation: 'GetSecretValue', body: JSON.stringify({ SecretId: service.secretId }) },
  ]);
});

it('reads what another wrote, each time', async () => {
  const read = await readerOf('{}');
  await read();
  service.value = '{"openai":{"api_key":"rotated"}}';

  expect({ ...(await read()) }).toEqual({ openai: { api_key: 'rotated' } });
});

it.each([
  ['no value', undefined],
  ['what is not JSON', 'hidden-value'],
])('refuses %s without quoting it', async (_, value) => {
  const read = await readerOf(value);

  await expect(read()).rejects.toThrow(new Error('The secret of provider credentials does not hold JSON'));
});

it("passes on the service's own error", async () => {
  const read = await readerOf('{}', 'another');

  await expect(read()).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    $metadata: { httpStatusCode: 400 },
  });
});
