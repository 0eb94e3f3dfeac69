/** Reads the provider credentials on the way of a chat request. */
import type { JsonService } from '../aws/json-service.ts';
import { parseJson, textOf } from '../domain/json.ts';
import { type ProviderCredentials, parseProviderCredentials } from '../domain/provider-credentials.ts';

/** Of the secret's current version, every time: who asks often caches. */
export function createProviderSecretReader(
  secretsManager: JsonService,
  secretId: string,
): () => Promise<ProviderCredentials> {
  return async () => {
    const { SecretString } = await secretsManager.call('GetSecretValue', { SecretId: secretId });
    return credentialsIn(textOf(SecretString));
  };
}

/** The credentials in a secret's text. */
export function credentialsIn(text: string | undefined): ProviderCredentials {
  const value = parseJson(text ?? '');
  if (value === undefined) throw new Error('The secret of provider credentials does not hold JSON');
  return parseProviderCredentials(value);
}
