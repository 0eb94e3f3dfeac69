/** Providers as the environment of the local run sets them: `<PROVIDER>_API_KEY` and `<PROVIDER>_BASE_URL`. */

import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import type { ProviderSettings, ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { reachOfHost } from '#lib/settings/endpoint-address.ts';
import { parseProviders } from '#lib/settings/providers.ts';
import { LocalGatewayError, messageOf } from '../local-gateway-error.ts';
import { isObject, type JsonObject, parseJson } from '../untyped-json.ts';

export interface ProviderOverlay {
  /** Providers that have a credential or an address here, in the order of the catalog. */
  configured: string[];
  /** The template's settings and, over them, the environment's; the demo is added when there is one. */
  settings(demo: ProviderSettings | undefined): Record<string, ProviderSettings>;
  /** For the secret: the environment's credentials over the stored ones, which are not stored themselves. */
  credentials: { apply(stored: string): string; remove(written: string): string };
}

export function createProviderOverlay(sources: {
  /** The template's `PROVIDERS`. */
  providersJson: string;
  /** The stored secret. */
  secretJson: string;
  environment: NodeJS.ProcessEnv;
}): ProviderOverlay {
  const { environment } = sources;
  const declared: ProviderSettingsByName = JSON.parse(sources.providersJson);
  const names = [...new Set([...Object.keys(providerCatalog), ...Object.keys(declared)])];
  const apiKeys = pickFromEnvironment(names, '_API_KEY', environment);
  const baseUrls = pickFromEnvironment(names, '_BASE_URL', environment);
  const storedNames = Object.keys(asCredentials(sources.secretJson));

  const merged: Record<string, ProviderSettings> = { ...declared };
  for (const [name, baseUrl] of Object.entries(baseUrls)) {
    const { private: _, ...rest } = merged[name] ?? {};
    const address = addressOf(baseUrl);
    checkAddress(name, address);
    merged[name] = { ...rest, ...address };
  }
  return {
    configured: names.filter(
      (name) => name in apiKeys || storedNames.includes(name) || merged[name]?.baseUrl,
    ),
    settings: (demo) => (demo === undefined ? merged : { ...merged, demo }),
    credentials: {
      apply: (stored) => JSON.stringify({ ...asCredentials(stored), ...wrapKeys(apiKeys) }),
      remove(written) {
        const credentials = asCredentials(written);
        const kept = Object.entries(credentials).filter(
          ([name, value]) => !isObject(value) || value.api_key !== apiKeys[name],
        );
        return JSON.stringify(Object.fromEntries(kept));
      },
    },
  };
}

/** Whoever writes `http://` for another machine here means one of the own network; the settings want it said. */
function addressOf(baseUrl: string): ProviderSettings {
  const url = URL.parse(baseUrl);
  const isPlain = url?.protocol === 'http:' && reachOfHost(url.hostname) !== 'loopback';
  return isPlain ? { baseUrl, private: true } : { baseUrl };
}

function pickFromEnvironment(
  names: readonly string[],
  suffix: string,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = environment[variableName(name, suffix)];
    if (value) found[name] = value;
  }
  return found;
}

function variableName(provider: string, suffix: string): string {
  return `${provider.toUpperCase().replaceAll('-', '_')}${suffix}`;
}

function checkAddress(provider: string, address: ProviderSettings): void {
  try {
    parseProviders({ [provider]: address });
  } catch (error) {
    throw new LocalGatewayError(`${variableName(provider, '_BASE_URL')}: ${messageOf(error)}`);
  }
}

function asCredentials(json: string): JsonObject {
  const value = parseJson(json);
  return isObject(value) ? value : {};
}

function wrapKeys(apiKeys: Record<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(apiKeys).map(([name, apiKey]) => [name, { api_key: apiKey }]));
}
