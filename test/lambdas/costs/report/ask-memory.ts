/** A question to the costs endpoint over entries in memory. */

import { createCostsEndpoint } from '#lambdas/costs/report/endpoint.ts';
import type { CostDependencies } from '#lambdas/costs/report/read.ts';
import { type CostsRead, createMemorySources, type MemorySourcesOptions } from './memory-sources.ts';
import { type AskedCosts, parseCosts, queryOf } from './summed-costs.ts';

export interface MemoryAnswer {
  answer: Record<string, unknown>;
  read: CostsRead;
}

export async function askMemory(options: MemorySourcesOptions, asked: AskedCosts): Promise<MemoryAnswer> {
  const { sources, read } = createMemorySources(options);
  return { answer: await askSources(sources, asked), read };
}

export async function askSources(sources: CostDependencies, asked: AskedCosts) {
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(queryOf(asked))) query[name] = [value];
  const endpoint = createCostsEndpoint(sources);
  return parseCosts(
    JSON.stringify(await endpoint({ organizationId: 'org_AAAAAAAAAAAAAAAA', query, id: '' })),
  );
}
