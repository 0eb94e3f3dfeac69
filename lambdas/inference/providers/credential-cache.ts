/** The providers' credentials, kept for a while so that a warm request needs no call for them. */
import type { ProviderCredentials } from './credentials.ts';
import type { Provider } from './provider.ts';

export interface CredentialSource {
  /** Starts reading, so that the credentials are there when they are needed. */
  prefetch(): void;
  /** The same before anybody has asked: what is missing then is looked for again when it is needed. */
  prefetchEarly(): void;
  /** The provider's API key; `null` when there is none. */
  find(provider: Pick<Provider, 'name' | 'credential'>): Promise<string | null>;
  /**
   * The key that has taken the place of one that its provider refuses; `null` when there is none. All who ask within
   * five seconds share one read, so that a key that is simply wrong costs few.
   */
  refresh(provider: Pick<Provider, 'name'>, refusedKey: string): Promise<string | null>;
  /** The providers that have one. */
  names(): Promise<string[]>;
}

export interface CredentialSourceOptions {
  read(): Promise<ProviderCredentials>;
  now(): Date;
  /** Told of a read that failed while there are older credentials, which go on being used. */
  onFailure(error: unknown): void;
}

/** A rotated secret is picked up after this long, without a deploy. */
const cacheMs = 300_000;

/** One that is missing may just have been set: it is looked for again after this long. */
const missingMs = 5_000;

/** While the secret cannot be read, not every request is to wait for that. */
const failedMs = 30_000;

/** A key that its provider refuses may just have been replaced; one that is wrong is refused again and again. */
const refreshMs = 5_000;

interface Reading {
  credentials: Promise<ProviderCredentials>;
  atMs: number;
}

export function createCredentialSource({ read, now, onFailure }: CredentialSourceOptions): CredentialSource {
  let latest: Reading | null = null;
  let latestSuccess: Reading | null = null;
  let refreshedAtMs = Number.NEGATIVE_INFINITY;
  let failedAtMs = Number.NEGATIVE_INFINITY;

  /** What was read at most `maxAgeMs` ago; a read that fails leaves what was read before it. */
  const readAtMost = (maxAgeMs: number): Promise<ProviderCredentials> => {
    const atMs = now().getTime();
    if (latest !== null && atMs - latest.atMs < maxAgeMs) return latest.credentials;
    return readNow(atMs);
  };

  const readNow = (atMs: number): Promise<ProviderCredentials> => {
    const reading: Reading = { credentials: read(), atMs };
    latest = reading;
    reading.credentials.then(
      () => {
        latestSuccess = reading;
      },
      (error: unknown) => {
        if (latest === reading) latest = latestSuccess;
        if (latestSuccess === null) return;
        failedAtMs = now().getTime();
        onFailure(error);
      },
    );
    return reading.credentials;
  };

  /** Credentials that cannot be read again at the moment are as good as they were. */
  const readOrKeep = async (maxAgeMs: number): Promise<ProviderCredentials> => {
    try {
      return await readAtMost(maxAgeMs);
    } catch (error) {
      if (latestSuccess === null) throw error;
      return latestSuccess.credentials;
    }
  };

  const current = (): Promise<ProviderCredentials> => {
    const hasJustFailed = now().getTime() - failedAtMs < failedMs;
    return hasJustFailed && latestSuccess !== null ? latestSuccess.credentials : readOrKeep(cacheMs);
  };

  return {
    prefetch: () => void current().catch(() => {}),
    prefetchEarly() {
      if (latest === null) readNow(now().getTime() - missingMs).catch(() => {});
    },
    async find({ name, credential }) {
      const apiKey = apiKeyOf(await current(), name);
      if (apiKey !== null || credential === 'optional') return apiKey;
      return apiKeyOf(await readAtMost(missingMs), name);
    },
    async refresh({ name }, refusedKey) {
      const atMs = now().getTime();
      const isFirst = atMs - refreshedAtMs >= refreshMs;
      if (isFirst) refreshedAtMs = atMs;
      const apiKey = apiKeyOf(await readOrKeep(isFirst ? 0 : cacheMs), name);
      return apiKey === refusedKey ? null : apiKey;
    },
    names: async () => Object.keys(await readAtMost(missingMs)),
  };
}

function apiKeyOf(credentials: ProviderCredentials, provider: string): string | null {
  return Object.hasOwn(credentials, provider) ? (credentials[provider]?.api_key ?? null) : null;
}
