/** A question to the costs endpoint over entries in memory. */

import { type CostLimits, createCostsEndpoint } from '#lambdas/costs/report/endpoint.ts';
import type { CostSources } from '#lambdas/costs/report/read.ts';
import { type CostsRead, createMemorySources, type MemorySourcesOptions } from './memory-sources.ts';
import { type AskedCosts, parseCosts, queryOf } from './summed-costs.ts';

export interface MemoryAnswer {
  answer: Record<string, unknown>;
  read: CostsRead;
}

export async function askMemory(
  options: MemorySourcesOptions,
  asked: AskedCosts,
  limits?: CostLimits,
): Promise<MemoryAnswer> {
  const { sources, read } = createMemorySources(options);
  return { answer: await askSources(sources, asked, limits), read };
}

export async function askSources(sources: CostSources, asked: AskedCosts, limits?: CostLimits) {
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(queryOf(asked))) query[name] = [value];
  const endpoint = createCostsEndpoint(sources, limits);
  return parseCosts(
    JSON.stringify(await endpoint({ organizationId: 'org_AAAAAAAAAAAAAAAA', query, id: '' })),
  );
}
