/** Reads and writes the secret with the provider credentials through the AWS SDK, which the chat function does not load. */
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type ProviderCredentials, parseProviderSecret } from './credentials.ts';

export interface ProviderSecret {
  read(): Promise<ProviderCredentials>;
  /** Replaces all credentials. */
  write(credentials: ProviderCredentials): Promise<void>;
}

interface ProviderSecretOptions {
  client: SecretsManagerClient;
  secretId: string;
}

export function createProviderSecret({ client, secretId }: ProviderSecretOptions): ProviderSecret {
  return {
    async read() {
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
      return parseProviderSecret(SecretString);
    },
    async write(credentials) {
      const SecretString = JSON.stringify(credentials);
      await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString }));
    },
  };
}
