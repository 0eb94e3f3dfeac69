/** The gateway's provider credentials: one secret, cached so that a warm request does not read it. */
import type { JsonService } from '#lambdas/platform/aws/json-client.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { isJsonObject, parseJson, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { Provider } from './provider.ts';

interface ProviderCredential {
  api_key: string;
}

/** Keyed by provider name. Has no prototype, so that a provider named `constructor` has no credential. */
export type ProviderCredentials = Record<string, ProviderCredential>;

/** Throws an error that names the provider and the field, but never a value. */
export function parseProviderSecret(text: string | undefined): ProviderCredentials {
  const value = parseJson(text ?? '');
  if (value === undefined) throw new Error('The secret with the provider credentials is not valid JSON');
  if (!isJsonObject(value))
    throw new Error('The provider credentials must be a JSON object keyed by provider name');
  for (const [provider, credential] of Object.entries(value)) {
    if (!isJsonObject(credential) || typeof credential.api_key !== 'string' || credential.api_key === '') {
      throw new Error(
        `The credential of the provider "${provider}" must be an object with a non-empty "api_key"`,
      );
    }
  }
  return Object.assign(Object.create(null), value);
}

/** Reads the secret uncached and without the AWS SDK. */
export function createProviderSecretReader(
  secretsManager: JsonService,
  secretId: string,
): () => Promise<ProviderCredentials> {
  return async () => {
    const { SecretString } = await secretsManager.call('GetSecretValue', { SecretId: secretId });
    return parseProviderSecret(stringOrEmpty(SecretString));
  };
}

export interface CredentialSource {
  /** Refreshes the cache if it has expired, without waiting for it. */
  prefetch(): void;
  /** Prefetches before the first request. Credentials that are missing at that time are read again when needed. */
  prefetchEarly(): void;
  find(provider: Pick<Provider, 'name' | 'credential'>): Promise<string | null>;
  /**
   * Returns the current key after the provider rejected `rejectedKey`; `null` when it has not changed. Calls within
   * five seconds share one read, so that a permanently invalid key causes few reads.
   */
  refresh(provider: Pick<Provider, 'name'>, rejectedKey: string): Promise<string | null>;
  providerNames(): Promise<string[]>;
}

/** Returns `null` for a provider that needs no credential. Throws a `GatewayError` (400) if a required one is missing. */
export async function requireCredential(
  credentials: Pick<CredentialSource, 'find'>,
  provider: Provider,
): Promise<string | null> {
  const apiKey = await credentials.find(provider);
  if (apiKey !== null || provider.credential === 'optional') return apiKey;
  const { name, remedy } = provider;
  throw new GatewayError('provider_not_configured', {
    param: 'model',
    message: `The provider ${name} has no credential: the gateway's operator must ${remedy}`,
  });
}

interface CredentialSourceOptions {
  read(): Promise<ProviderCredentials>;
  now(): Date;
  /** Called when a read fails while older credentials remain in use. */
  onFailure(error: unknown): void;
}

/** A rotated secret takes effect after this time at the latest, without a deployment. */
const cacheTtlMs = 5 * minuteMs;

/** A missing credential may just have been set, so the secret is read again after this time. */
const missingTtlMs = 5_000;

/** While the secret cannot be read, only one request per interval waits for another attempt. */
const failureRetryMs = 30_000;

const refreshIntervalMs = 5_000;

interface CachedRead {
  credentials: Promise<ProviderCredentials>;
  atMs: number;
}

export function createCredentialSource({ read, now, onFailure }: CredentialSourceOptions): CredentialSource {
  let latest: CachedRead | null = null;
  let latestSuccess: CachedRead | null = null;
  let refreshedAtMs = Number.NEGATIVE_INFINITY;
  let failedAtMs = Number.NEGATIVE_INFINITY;

  const readCached = (maxAgeMs: number): Promise<ProviderCredentials> => {
    const atMs = now().getTime();
    if (latest !== null && atMs - latest.atMs < maxAgeMs) return latest.credentials;
    return readNow(atMs);
  };

  /** A failed read leaves the last successful one in place. */
  const readNow = (atMs: number): Promise<ProviderCredentials> => {
    const current: CachedRead = { credentials: read(), atMs };
    latest = current;
    current.credentials.then(
      () => {
        latestSuccess = current;
      },
      (error: unknown) => {
        if (latest === current) latest = latestSuccess;
        if (latestSuccess === null) return;
        failedAtMs = now().getTime();
        onFailure(error);
      },
    );
    return current.credentials;
  };

  const readOrFallBack = async (maxAgeMs: number): Promise<ProviderCredentials> => {
    try {
      return await readCached(maxAgeMs);
    } catch (error) {
      if (latestSuccess === null) throw error;
      return latestSuccess.credentials;
    }
  };

  const readCurrent = (): Promise<ProviderCredentials> => {
    const hasJustFailed = now().getTime() - failedAtMs < failureRetryMs;
    return hasJustFailed && latestSuccess !== null ? latestSuccess.credentials : readOrFallBack(cacheTtlMs);
  };

  return {
    prefetch: () => void readCurrent().catch(() => {}),
    prefetchEarly() {
      if (latest === null) readNow(now().getTime() - missingTtlMs).catch(() => {});
    },
    async find({ name, credential }) {
      const apiKey = apiKeyOf(await readCurrent(), name);
      if (apiKey !== null || credential === 'optional') return apiKey;
      return apiKeyOf(await readCached(missingTtlMs), name);
    },
    async refresh({ name }, rejectedKey) {
      const atMs = now().getTime();
      const isFirst = atMs - refreshedAtMs >= refreshIntervalMs;
      if (isFirst) refreshedAtMs = atMs;
      const apiKey = apiKeyOf(await readOrFallBack(isFirst ? 0 : cacheTtlMs), name);
      return apiKey === rejectedKey ? null : apiKey;
    },
    providerNames: async () => Object.keys(await readCached(missingTtlMs)),
  };
}

function apiKeyOf(credentials: ProviderCredentials, provider: string): string | null {
  return Object.hasOwn(credentials, provider) ? (credentials[provider]?.api_key ?? null) : null;
}
