/** Serves `GET /ai/models` and `GET /ai/models/{id}` behind the REST API and the function URL. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import { type ProviderSources, readProviderSetUps } from '../providers/set-up.ts';
import { modelsOf, type ProviderModel } from './list.ts';

interface ModelsDependencies extends ProviderSources {
  region: string;
  now(): Date;
}

export interface ListedModel {
  id: string;
  object: 'model';
  /** Always 0, since providers do not report when a model was created. */
  created: 0;
  owned_by: string;
  /** Those that the model can be used for. */
  operations: readonly OperationName[];
}

/** Returns the model with the id, or the list of models if it is empty. Throws a `GatewayError` (404). */
export type ModelsEndpoint = (request: { pathId: string }) => Promise<unknown>;

export function createModelsEndpoint(dependencies: ModelsDependencies): ModelsEndpoint {
  return async ({ pathId }) => {
    const models = await listModels(dependencies);
    if (pathId === '') return { object: 'list', data: models };
    const modelId = decode(pathId);
    const found = models.find((model) => model.id === modelId);
    if (found !== undefined) return found;
    throw new GatewayError('model_not_found', {
      status: 404,
      param: 'model',
      message: `The model ${modelId} does not exist; GET /ai/models lists the available models`,
    });
  };
}

async function listModels({ region, now, ...sources }: ModelsDependencies): Promise<ListedModel[]> {
  const setUps = await readProviderSetUps(sources);
  const at = now();
  return setUps
    .filter(({ isSetUp }) => isSetUp)
    .flatMap(({ access }) =>
      modelsOf(access, { region, at }).map((model) => toListedModel(access.name, model)),
    )
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}

function toListedModel(provider: string, { name, operations }: ProviderModel): ListedModel {
  return { id: `${provider}/${name}`, object: 'model', created: 0, owned_by: provider, operations };
}

/** Clients percent-encode the slashes of an id, and not every entry point decodes them. No id contains a percent sign. */
function decode(pathId: string): string {
  try {
    return decodeURIComponent(pathId);
  } catch (error) {
    if (error instanceof URIError) return pathId;
    throw error;
  }
}
