import type { AttemptDependencies, AttemptSteps } from '../exchange/attempt.ts';
import type { EntryDependencies } from '../exchange/write-entry.ts';
import type { ProviderRegistry } from '../providers/registry.ts';

export interface RouteDependencies extends AttemptDependencies, EntryDependencies {
  providers: ProviderRegistry;
  steps: AttemptSteps;
}
