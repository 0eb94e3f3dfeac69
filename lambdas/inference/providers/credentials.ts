/** The gateway's own credentials at its providers: one secret, cached so that a warm request does not read it. */
import type { JsonService } from '#lambdas/platform/aws/json-client.ts';
import { isJsonObject, parseJson, textOf } from '#lambdas/platform/json/json.ts';
import type { Provider } from './provider.ts';

export interface ProviderCredential {
  api_key: string;
}

/** By provider name. Has no prototype, so that there is no credential of a provider named `constructor`. */
export type ProviderCredentials = Record<string, ProviderCredential>;

/** Parses the secret's text. Errors name the provider and the field, never a value. */
export function parseProviderSecret(text: string | undefined): ProviderCredentials {
  const value = parseJson(text ?? '');
  if (value === undefined) throw new Error('The secret of provider credentials does not hold JSON');
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

/** Reads the secret's current version without the AWS SDK; each call is a request. */
export function createProviderSecretReader(
  secretsManager: JsonService,
  secretId: string,
): () => Promise<ProviderCredentials> {
  return async () => {
    const { SecretString } = await secretsManager.call('GetSecretValue', { SecretId: secretId });
    return parseProviderSecret(textOf(SecretString));
  };
}

export interface CredentialSource {
  /** Starts reading, so that the credentials are there when they are needed. */
  prefetch(): void;
  /** Starts reading before any request: a credential that is missing then is read again when it is needed. */
  prefetchEarly(): void;
  /** The provider's API key; `null` when there is none. */
  find(provider: Pick<Provider, 'name' | 'credential'>): Promise<string | null>;
  /**
   * The key that replaces one that its provider refuses; `null` when there is none. Callers within five seconds share
   * one read, so that a key that is simply wrong costs few.
   */
  refresh(provider: Pick<Provider, 'name'>, refusedKey: string): Promise<string | null>;
  /** The providers that have one. */
  names(): Promise<string[]>;
}

export interface CredentialSourceOptions {
  read(): Promise<ProviderCredentials>;
  now(): Date;
  /** Called when a read fails while older credentials remain in use. */
  onFailure(error: unknown): void;
}

/** A rotated secret takes effect after this time, without a deployment. */
const cacheMs = 300_000;

/** A missing credential may just have been set: it is read again after this time. */
const missingMs = 5_000;

/** While the secret cannot be read, only one request in this time waits for an attempt. */
const failedMs = 30_000;

/** A key that its provider refuses may just have been replaced; a wrong one is refused again and again. */
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

  /** Reuses a reading that is younger than `maxAgeMs`. */
  const readAtMost = (maxAgeMs: number): Promise<ProviderCredentials> => {
    const atMs = now().getTime();
    if (latest !== null && atMs - latest.atMs < maxAgeMs) return latest.credentials;
    return readNow(atMs);
  };

  /** A failed read leaves the last successful one in place. */
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

  /** Falls back on the last successful reading. */
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
