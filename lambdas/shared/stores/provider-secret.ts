/** The provider credentials in Secrets Manager: one secret, one JSON object. */

import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { parseJson } from '../domain/json.ts';
import { type ProviderCredentials, parseProviderCredentials } from '../domain/provider-credentials.ts';

export interface ProviderSecret {
  /** Reads the secret's current version, every time: who asks often caches. */
  read(): Promise<ProviderCredentials>;
  /** Replaces all credentials by these. */
  write(credentials: ProviderCredentials): Promise<void>;
}

interface ProviderSecretOptions {
  client: SecretsManagerClient;
  /** The secret's name or ARN. */
  secretId: string;
}

export function createProviderSecret({ client, secretId }: ProviderSecretOptions): ProviderSecret {
  return {
    async read() {
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
      return parseProviderCredentials(decode(SecretString));
    },
    async write(credentials) {
      const SecretString = JSON.stringify(credentials);
      await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString }));
    },
  };
}

function decode(text: string | undefined): unknown {
  const value = parseJson(text ?? '');
  if (value === undefined) throw new Error('The secret of provider credentials does not hold JSON');
  return value;
}
