import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from './synthesized-gateway.ts';

describe('the secret of provider credentials', () => {
  const secret = synthesizeGateway().resource('ProviderSecret');

  it('starts as an empty object and outlives the stack', () => {
    expect(secret.Properties.SecretString).toBe('{}');
    expect(secret.Properties).not.toHaveProperty('GenerateSecretString');
    expect(secret).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it('is the same whatever the settings say, so that no deploy writes its value again', () => {
    const changed = synthesizeGateway({
      providers: { vllm: { baseUrl: 'http://10.0.0.5:8000/v1' } },
      entryRetentionDays: 7,
    });

    expect(changed.resource('ProviderSecret')).toEqual(secret);
  });
});
