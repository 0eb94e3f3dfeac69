/** Resolves the model of a request to a provider. */
import type { AwsClientOptions } from '#lambdas/platform/aws/access.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type CatalogEntry, type ProviderAccess, readProviderAccess } from './catalog.ts';
import { providerEndpoint } from './endpoint.ts';
import type { Provider } from './provider.ts';
import type { ProviderSettingsByName } from './settings.ts';

export interface ResolvedModel {
  provider: Provider;
  /** The provider's name for the model: everything after the first slash, or the whole name without one. */
  model: string;
}

export interface ProviderRegistry {
  /** Throws a `GatewayError`: `model_not_found`, or `provider_not_configured` for a provider without a base URL. */
  resolve(requestedModel: string): ResolvedModel;
}

/** A model without a slash goes to the default provider, if there is one: `<provider>/<model>` names its own. */
export function createProviderRegistry(
  settings: ProviderSettingsByName,
  aws: AwsClientOptions,
  defaultProvider: string | null = null,
): ProviderRegistry {
  const providers = new Map(
    readProviderAccess(settings).map((access) => [access.name, createProvider(access, aws)] as const),
  );
  return {
    resolve(requestedModel) {
      const slash = requestedModel.indexOf('/');
      const name = slash === -1 ? defaultProvider : requestedModel.slice(0, slash);
      if (name === null) throw missingProviderError(requestedModel, [...providers.keys()]);
      const model = requestedModel.slice(slash + 1);
      const provider = providers.get(name);
      if (provider === undefined || model === '')
        throw unknownModelError(requestedModel, [...providers.keys()]);
      if (provider === null) throw missingBaseUrlError(name);
      return { provider, model };
    },
  };
}

function createProvider(provider: ProviderAccess, aws: AwsClientOptions): Provider | null {
  const { name, entry, baseUrl, credential, settings } = provider;
  if (baseUrl === null) return null;
  return {
    name,
    credential,
    remedy: remedyOf(name, entry),
    ...providerEndpoint(provider, aws.access.region),
    settings,
    api: { name, baseUrl, region: settings.region ?? null, entry, aws },
  };
}

function remedyOf(name: string, { credential }: CatalogEntry): string {
  const byCommand = `set one with "admin provider set ${name}"`;
  return credential === 'role' ? `name it in the settings, or ${byCommand}` : byCommand;
}

function missingProviderError(requestedModel: string, names: string[]): GatewayError {
  return new GatewayError('model_not_found', {
    param: 'model',
    message: `The model ${requestedModel} names no provider: write <provider>/<model> with one of ${names.join(', ')}, or ask the gateway's operator to set defaultProvider`,
  });
}

function unknownModelError(requestedModel: string, names: string[]): GatewayError {
  return new GatewayError('model_not_found', {
    param: 'model',
    message: `The model ${requestedModel} is not supported: write <provider>/<model> with one of ${names.join(', ')}`,
  });
}

function missingBaseUrlError(name: string): GatewayError {
  return new GatewayError('provider_not_configured', {
    param: 'model',
    message: `The provider ${name} has no base URL: the gateway's operator must set providers.${name}.baseUrl`,
  });
}
