import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, describe, expect, it } from 'vitest';
import { createProviderSecret } from '#lambdas/inference/providers/credential-store.ts';
import { type FakeSecretsManager, startFakeSecretsManager } from '#test/support/aws/fake-secrets-manager.ts';

let service: FakeSecretsManager;

afterEach(async () => {
  await service?.stop();
});

async function secretWithValue(value?: string, secretId?: string) {
  service = await startFakeSecretsManager(value);
  const client = new SecretsManagerClient({
    endpoint: service.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  return createProviderSecret({ client, secretId: secretId ?? service.secretId });
}

describe('createProviderSecret', () => {
  it('reads the credentials by provider', async () => {
    const secret = await secretWithValue('{"openai":{"api_key":"one"},"groq":{"api_key":"two"}}');

    expect({ ...(await secret.read()) }).toEqual({ openai: { api_key: 'one' }, groq: { api_key: 'two' } });
  });

  it('reads the current value on every call', async () => {
    const secret = await secretWithValue('{}');
    await secret.read();
    service.value = '{"openai":{"api_key":"rotated"}}';

    expect({ ...(await secret.read()) }).toEqual({ openai: { api_key: 'rotated' } });
  });

  it('writes all credentials as one JSON object', async () => {
    const secret = await secretWithValue('{}');

    await secret.write({ openai: { api_key: 'one' } });

    expect(service.value).toBe('{"openai":{"api_key":"one"}}');
  });

  it('preserves unknown fields when writing back the credentials it read', async () => {
    const secret = await secretWithValue('{"azure":{"api_key":"one","tenant":"two"}}');

    await secret.write({ ...(await secret.read()), openai: { api_key: 'three' } });

    expect(service.value).toBe('{"azure":{"api_key":"one","tenant":"two"},"openai":{"api_key":"three"}}');
  });

  it.each([
    ['no value', undefined],
    ['a value that is not JSON', 'hidden-value'],
  ])('rejects %s without quoting it', async (_case, value) => {
    const secret = await secretWithValue(value);

    await expect(secret.read()).rejects.toThrow(
      new Error('The secret with the provider credentials is not valid JSON'),
    );
  });

  it('rethrows the error of Secrets Manager', async () => {
    const secret = await secretWithValue('{}', 'another');

    await expect(secret.read()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});
