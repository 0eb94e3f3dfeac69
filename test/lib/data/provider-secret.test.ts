import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

describe('ProviderSecret', () => {
  const secret = gateway.resource('ProviderSecret');

  it('creates the secret with an empty object and retains it when the stack is deleted', () => {
    expect(secret.Properties.SecretString).toBe('{}');
    expect(secret.Properties).not.toHaveProperty('GenerateSecretString');
    expect(secret).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  });

  it('creates the same secret for all settings, so that no deployment overwrites its value', () => {
    const changed = synthesizeGateway({
      providers: { vllm: { baseUrl: 'http://10.0.0.5:8000/v1', private: true } },
      entryRetentionDays: 7,
    });

    expect(changed.resource('ProviderSecret')).toEqual(secret);
  });

  it('attaches a policy to the secret that only denies requests without TLS', () => {
    const { SecretId, ResourcePolicy } = gateway.resource('ProviderSecret/Policy').Properties;

    expect(gateway.readable(SecretId)).toBe('ProviderSecret');
    expect(ResourcePolicy).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'DenyInsecureTransport',
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
