/** `GET /ai/models` and `GET /ai/models/{id}`, as both ways in answer them. Only entry files call this. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { findKnownModels } from '#lambdas/pricing/known-models.ts';
import { readProviderAccess } from '../providers/configured-providers.ts';
import type { CredentialSource } from '../providers/credential-cache.ts';
import type { ProviderSettingsByName } from '../providers/settings.ts';

export interface ModelsServices {
  settings: ProviderSettingsByName;
  credentials: Pick<CredentialSource, 'names'>;
  /** The function's own. */
  region: string;
  now(): Date;
}

/** In OpenAI's format. */
export interface ListedModel {
  id: string;
  object: 'model';
  /** 0: nobody tells when a model was made. */
  created: 0;
  owned_by: string;
}

/** Returns the model with the id, and without one the list. */
export type ModelsEndpoint = (request: { id: string }) => Promise<unknown>;

export function createModelsEndpoint(services: ModelsServices): ModelsEndpoint {
  return async ({ id }) => {
    const models = await listModels(services);
    if (id === '') return { object: 'list', data: models };
    const wanted = decode(id);
    const found = models.find((model) => model.id === wanted);
    if (found !== undefined) return found;
    throw new GatewayError('model_not_found', {
      status: 404,
      param: 'model',
      message: `The model ${wanted} is not among those of GET /ai/models`,
    });
  };
}

/** The models of every provider that a request would be sent to. */
async function listModels({ settings, credentials, region, now }: ModelsServices): Promise<ListedModel[]> {
  const withCredential = new Set(await credentials.names());
  const at = now();
  return readProviderAccess(settings)
    .filter(({ baseUrl }) => baseUrl !== null)
    .filter(({ name, credential }) => credential === 'optional' || withCredential.has(name))
    .flatMap(({ name: provider, settings: { models, region: own } }) => {
      const names = models ?? findKnownModels({ provider, region: own ?? region, at });
      return [...new Set(names)].map((name) => listed(provider, name));
    })
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}

function listed(provider: string, name: string): ListedModel {
  return { id: `${provider}/${name}`, object: 'model', created: 0, owned_by: provider };
}

/** Clients encode the slashes of an id. What decodes it on the way differs; no id has a percent sign itself. */
function decode(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch (error) {
    if (error instanceof URIError) return id;
    throw error;
  }
}
