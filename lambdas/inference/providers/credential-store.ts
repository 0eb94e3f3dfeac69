/** The provider credentials in Secrets Manager: one secret, one JSON object. */
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { credentialsIn, type ProviderCredentials } from './credentials.ts';

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
      return credentialsIn(SecretString);
    },
    async write(credentials) {
      const SecretString = JSON.stringify(credentials);
      await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString }));
    },
  };
}
