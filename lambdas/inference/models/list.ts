/** The models of a provider: those that the operator has configured, or else those of the price table. */
import { findKnownModels, isEmbeddingModel } from '#lambdas/pricing/table/known-models.ts';
import { type OperationName, operations } from '#lambdas/request-log/operation.ts';
import { offersOperation, type ProviderAccess } from '../providers/catalog.ts';

interface ModelsRequest {
  /** The function's region, for a provider without its own. */
  region: string;
  at: Date;
}

export interface ProviderModel {
  /** Without the provider's prefix. */
  name: string;
  /** The operations that the model can be used for, at least one. */
  operations: readonly OperationName[];
}

/** Each model once, without those for an operation that the provider does not offer. */
export function modelsOf(
  { name: provider, entry, settings }: Pick<ProviderAccess, 'name' | 'entry' | 'settings'>,
  { region, at }: ModelsRequest,
): ProviderModel[] {
  const names = settings.models ?? findKnownModels({ provider, region: settings.region ?? region, at });
  return [...new Set(names)]
    .map((name) => ({ name, operations: operationsOf({ entry }, name) }))
    .filter((model) => model.operations.length > 0);
}

/**
 * The operations that a model of the provider can be used for, be it listed or not. A provider that offers nothing but embeddings has
 * only models for them, whatever their names are.
 */
export function operationsOf({ entry }: Pick<ProviderAccess, 'entry'>, name: string): OperationName[] {
  const offered = operations.filter((operation) => offersOperation(entry, operation, name));
  const forEmbeddings = isEmbeddingModel(name) || offered.every((operation) => operation === 'embeddings');
  return offered.filter((operation) => (operation === 'embeddings') === forEmbeddings);
}
