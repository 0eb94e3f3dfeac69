/** Reads provider settings from the environment: `<PROVIDER>_API_KEY` and `<PROVIDER>_BASE_URL`. */

import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import type { ProviderSettings, ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { classifyHost } from '#lib/settings/host-kind.ts';
import { parseProviders } from '#lib/settings/providers.ts';
import { LocalGatewayError, messageOf } from '../local-gateway-error.ts';
import { isObject, type JsonObject, parseJson } from '../untyped-json.ts';

interface ProviderOverlay {
  /** Names of the providers with a credential or a base URL, in the order of the catalog. */
  configured: string[];
  /** Returns the template's settings, overridden by the environment, plus the demo provider when given. */
  settings(demo: ProviderSettings | undefined): Record<string, ProviderSettings>;
  /** Overlay of the secret: `apply` adds the environment's credentials, `remove` keeps them from being stored. */
  credentials: { apply(stored: string): string; remove(written: string): string };
}

export function createProviderOverlay(options: {
  providersJson: string;
  secretJson: string;
  environment: NodeJS.ProcessEnv;
}): ProviderOverlay {
  const { environment } = options;
  const declared: ProviderSettingsByName = JSON.parse(options.providersJson);
  const names = [...new Set([...Object.keys(providerCatalog), ...Object.keys(declared)])];
  const apiKeys = pickFromEnvironment(names, '_API_KEY', environment);
  const baseUrls = pickFromEnvironment(names, '_BASE_URL', environment);
  const storedNames = Object.keys(parseCredentials(options.secretJson));

  const merged: Record<string, ProviderSettings> = { ...declared };
  for (const [name, baseUrl] of Object.entries(baseUrls)) {
    const { private: _, ...rest } = merged[name] ?? {};
    const address = toAddress(baseUrl);
    checkAddress(name, address);
    merged[name] = { ...rest, ...address };
  }
  return {
    configured: names.filter(
      (name) => name in apiKeys || storedNames.includes(name) || merged[name]?.baseUrl,
    ),
    settings: (demo) => (demo === undefined ? merged : { ...merged, demo }),
    credentials: {
      apply: (stored) => JSON.stringify({ ...parseCredentials(stored), ...toCredentials(apiKeys) }),
      remove(written) {
        const credentials = parseCredentials(written);
        const kept = Object.entries(credentials).filter(
          ([name, value]) => !isObject(value) || value.api_key !== apiKeys[name],
        );
        return JSON.stringify(Object.fromEntries(kept));
      },
    },
  };
}

/**
 * Sets `private` for an `http://` URL of another machine: the settings require it for plain HTTP, and only a machine in
 * the private network is reachable that way.
 */
function toAddress(baseUrl: string): ProviderSettings {
  const url = URL.parse(baseUrl);
  const isPlainHttp = url?.protocol === 'http:' && classifyHost(url.hostname) !== 'loopback';
  return isPlainHttp ? { baseUrl, private: true } : { baseUrl };
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

function parseCredentials(json: string): JsonObject {
  const value = parseJson(json);
  return isObject(value) ? value : {};
}

function toCredentials(apiKeys: Record<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(apiKeys).map(([name, apiKey]) => [name, { api_key: apiKey }]));
}
