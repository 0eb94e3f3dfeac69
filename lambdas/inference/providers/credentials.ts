/** The gateway's own credentials at its providers: the shape of the one secret that holds them. */

import type { JsonService } from '#lambdas/platform/aws/json-client.ts';
import { isJsonObject, parseJson, textOf } from '#lambdas/platform/json/json.ts';
export interface ProviderCredential {
  api_key: string;
}

/** By provider name. Has no prototype, so that a provider named `constructor` is simply not there. */
export type ProviderCredentials = Record<string, ProviderCredential>;

/** Checks a decoded secret. Its errors name the provider and what is wrong, never a value. */
export function parseProviderCredentials(value: unknown): ProviderCredentials {
  if (!isJsonObject(value))
    throw new Error('The provider credentials must be a JSON object by provider name');
  for (const [provider, credential] of Object.entries(value)) {
    if (!isJsonObject(credential) || typeof credential.api_key !== 'string' || credential.api_key === '') {
      throw new Error(
        `The credential of the provider "${provider}" must be an object with a non-empty "api_key"`,
      );
    }
  }
  return Object.assign(Object.create(null), value);
}

// Reads the provider credentials on the way of a chat request.

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
