import type { ApiKey } from '#lambdas/access/directory.ts';

/** Leaves out the copies of budget counters, which are internal. */
export function keyJson({ organization_budget: _, key_budget: __, ...apiKey }: ApiKey) {
  return apiKey;
}
