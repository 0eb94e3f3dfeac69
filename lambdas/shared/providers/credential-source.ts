/** The providers' credentials, kept for a while so that a warm request needs no call for them. */
import type { ProviderCredentials } from '../domain/provider-credentials.ts';
import type { Provider } from './provider.ts';

export interface CredentialSource {
  /** Starts reading, so that the credentials are there when they are needed. */
  prefetch(): void;
  /** The provider's API key; `null` when there is none. */
  find(provider: Pick<Provider, 'name' | 'credential'>): Promise<string | null>;
  /** The providers that have one. */
  names(): Promise<string[]>;
}

export interface CredentialSourceOptions {
  read(): Promise<ProviderCredentials>;
  now(): Date;
}

/** A rotated secret is picked up after this long, without a deploy. */
const cacheMs = 300_000;

/** One that is missing may just have been set: it is looked for again after this long. */
const missingMs = 5_000;

interface Reading {
  credentials: Promise<ProviderCredentials>;
  atMs: number;
}

export function createCredentialSource({ read, now }: CredentialSourceOptions): CredentialSource {
  let latest: Reading | null = null;
  let latestSuccess: Reading | null = null;

  /** What was read at most `maxAgeMs` ago; a read that fails leaves what was read before it. */
  const readAtMost = (maxAgeMs: number): Promise<ProviderCredentials> => {
    const atMs = now().getTime();
    if (latest !== null && atMs - latest.atMs < maxAgeMs) return latest.credentials;
    const reading: Reading = { credentials: read(), atMs };
    latest = reading;
    reading.credentials.then(
      () => {
        latestSuccess = reading;
      },
      () => {
        if (latest === reading) latest = latestSuccess;
      },
    );
    return reading.credentials;
  };

  return {
    prefetch: () => void readAtMost(cacheMs).catch(() => {}),
    async find({ name, credential }) {
      const apiKey = apiKeyOf(await readAtMost(cacheMs), name);
      if (apiKey !== null || credential === 'optional') return apiKey;
      return apiKeyOf(await readAtMost(missingMs), name);
    },
    names: async () => Object.keys(await readAtMost(missingMs)),
  };
}

function apiKeyOf(credentials: ProviderCredentials, provider: string): string | null {
  return Object.hasOwn(credentials, provider) ? (credentials[provider]?.api_key ?? null) : null;
}
