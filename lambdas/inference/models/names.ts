/** The names of a provider's models: those that the operator has configured, or else those of the price table. */
import { findKnownModels } from '#lambdas/pricing/table/known-models.ts';
import type { ProviderAccess } from '../providers/catalog.ts';

interface ModelNamesRequest {
  /** The function's region, for a provider without its own. */
  region: string;
  at: Date;
}

/** Without the provider's prefix, each once. */
export function modelNamesOf(
  { name: provider, settings }: Pick<ProviderAccess, 'name' | 'settings'>,
  { region, at }: ModelNamesRequest,
): string[] {
  const names = settings.models ?? findKnownModels({ provider, region: settings.region ?? region, at });
  return [...new Set(names)];
}
