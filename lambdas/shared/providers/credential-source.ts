/** The providers' credentials, kept for a while so that a warm request needs no call for them. */
import type { ProviderCredentials } from '../domain/provider-credentials.ts';

export interface CredentialSource {
  /** Starts reading, so that the credentials are there when they are needed. */
  prefetch(): void;
  /** The provider's API key; `null` when there is none. */
  find(provider: string): Promise<string | null>;
}

export interface CredentialSourceOptions {
  read(): Promise<ProviderCredentials>;
  now(): Date;
}

/** A rotated secret is picked up after this long, without a deploy. */
const cacheMs = 300_000;

export function createCredentialSource({ read, now }: CredentialSourceOptions): CredentialSource {
  let cached: { credentials: Promise<ProviderCredentials>; until: number } | null = null;

  const credentials = (): Promise<ProviderCredentials> => {
    const at = now().getTime();
    if (cached === null || cached.until <= at) {
      const reading = { credentials: read(), until: at + cacheMs };
      reading.credentials.catch(() => {
        // A failed read is not kept: the next request tries again.
        if (cached === reading) cached = null;
      });
      cached = reading;
    }
    return cached.credentials;
  };

  return {
    prefetch: () => void credentials().catch(() => {}),
    async find(provider) {
      const all = await credentials();
      return Object.hasOwn(all, provider) ? (all[provider]?.api_key ?? null) : null;
    },
  };
}
