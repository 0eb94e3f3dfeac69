import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

describe('the secret of provider credentials', () => {
  const secret = gateway.resource('ProviderSecret');

  it('starts as an empty object and outlives the stack', () => {
    expect(secret.Properties.SecretString).toBe('{}');
    expect(secret.Properties).not.toHaveProperty('GenerateSecretString');
    expect(secret).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it('is the same whatever the settings say, so that no deploy writes its value again', () => {
    const changed = synthesizeGateway({
      providers: { vllm: { baseUrl: 'http://10.0.0.5:8000/v1', private: true } },
      entryRetentionDays: 7,
    });

    expect(changed.resource('ProviderSecret')).toEqual(secret);
  });

  it('refuses callers without TLS, and says nothing of others', () => {
    const { SecretId, ResourcePolicy } = gateway.resource('ProviderSecret/Policy').Properties;

    expect(gateway.readable(SecretId)).toBe('ProviderSecret');
    expect(ResourcePolicy).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'RefuseWithoutTls',
          Effect: 'Deny',
          Principal: { AWS: '*' },
          Action: 'secretsmanager:*',
          Resource: '*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
      ],
    });
  });
});
