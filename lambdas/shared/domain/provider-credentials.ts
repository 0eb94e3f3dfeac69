/** The gateway's own credentials at its providers: the shape of the one secret that holds them. */
import { isJsonObject } from './json.ts';

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
