/** Finds the provider that a `<provider>/<model>` names. */
import { GatewayError } from '../domain/gateway-error.ts';
import type { ProviderSettings, ProviderSettingsByName } from '../domain/provider-settings.ts';
import { type CatalogEntry, providerCatalog, selfHostedDefaults } from './catalog.ts';
import { protocols } from './protocols.ts';
import type { Provider } from './provider.ts';

export interface ResolvedModel {
  provider: Provider;
  /** The provider's name of the model: what stands behind the first slash. */
  model: string;
}

export interface ProviderRegistry {
  /** Throws a `GatewayError`: `model_not_found`, or `provider_not_configured` for a provider without an address. */
  resolve(requestedModel: string): ResolvedModel;
}

export function createProviderRegistry(settings: ProviderSettingsByName): ProviderRegistry {
  const names = new Set([...Object.keys(providerCatalog), ...Object.keys(settings)]);
  const providers = new Map<string, Provider | null>();
  for (const name of names) providers.set(name, createProvider(name, settings[name]));
  return {
    resolve(requestedModel) {
      const slash = requestedModel.indexOf('/');
      const name = requestedModel.slice(0, Math.max(slash, 0));
      const model = requestedModel.slice(slash + 1);
      const provider = providers.get(name);
      if (provider === undefined || model === '') throw unknownModel(requestedModel, [...names]);
      if (provider === null) throw withoutAddress(name);
      return { provider, model };
    },
  };
}

function createProvider(name: string, named: ProviderSettings | undefined): Provider | null {
  const settings = named ?? {};
  const entry: CatalogEntry = providerCatalog[name] ?? selfHostedDefaults;
  const baseUrl = settings.baseUrl ?? entry.baseUrl;
  if (baseUrl === null) return null;
  const prepare = protocols[entry.protocol]({
    name,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    region: settings.region ?? null,
    entry,
  });
  return {
    name,
    credential: credentialOf(entry, named !== undefined),
    prices: settings.prices ?? null,
    prepare,
  };
}

function credentialOf({ credential }: CatalogEntry, isNamed: boolean): Provider['credential'] {
  if (credential !== 'role') return credential;
  return isNamed ? 'optional' : 'required';
}

function unknownModel(requestedModel: string, names: string[]): GatewayError {
  return new GatewayError('model_not_found', {
    param: 'model',
    message: `The model ${requestedModel} is not supported: write <provider>/<model> with one of ${names.join(', ')}`,
  });
}

function withoutAddress(name: string): GatewayError {
  return new GatewayError('provider_not_configured', {
    param: 'model',
    message: `The provider ${name} has no base URL here: its operator sets providers.${name}.baseUrl`,
  });
}
