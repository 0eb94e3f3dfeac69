import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import { createCostsEndpoint } from '#lambdas/reports/costs/report.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { type CostParameters, parseCosts, toQueryString } from './expected-costs.ts';
import { createInMemoryCosts, type InMemoryCostsOptions, type ReadCounts } from './in-memory-costs.ts';

export interface CostsResponse {
  response: Record<string, unknown>;
  reads: ReadCounts;
}

export async function getCostsInMemory(
  options: InMemoryCostsOptions,
  parameters: CostParameters,
): Promise<CostsResponse> {
  const { dependencies, reads } = createInMemoryCosts(options);
  return { response: await getCosts(dependencies, parameters), reads };
}

export async function getCosts(
  dependencies: CostDependencies,
  parameters: CostParameters,
  organizationId = 'org_AAAAAAAAAAAAAAAA',
) {
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(toQueryString(parameters))) query[name] = [value];
  const endpoint = createCostsEndpoint(dependencies);
  const request = { apiKey: requestKey(), organizationId, headers: {}, query, pathId: '' };
  return parseCosts(JSON.stringify(await endpoint(request)));
}
