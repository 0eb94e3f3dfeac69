import type { ApiKey } from '#lambdas/access/directory.ts';
import { type DemoKeyName, demoKeyNames } from '#local/demo-data/workloads.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';

/** The keys of the demo data, with ids that are the same in each run. */
export function demoKeys(organizationId = 'org_0000000000000001'): Record<DemoKeyName, ApiKey> {
  const keyOf = (name: string, index: number) =>
    apiKeyRecord({
      id: `key_${String(index).padStart(16, '0')}`,
      organization_id: organizationId,
      name,
    });
  const keys = demoKeyNames.map((name, index) => [name, keyOf(name, index)]);
  return Object.fromEntries(keys) as Record<DemoKeyName, ApiKey>;
}
