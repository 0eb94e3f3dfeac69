import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import type { ResponseOrigin } from '#lambdas/inference/providers/openai/billing.ts';
import { createExecutedToolReader } from '#lambdas/inference/providers/openai/executed-tools.ts';

/** Returns what the protocol passes to the readers of a provider's responses. */
export function responseOrigin(provider: string, overrides: Partial<ResponseOrigin> = {}): ResponseOrigin {
  const { reportedCost = null, toolCharges = null } = providerCatalog[provider] ?? {};
  const createToolReader = toolCharges === 'executed_tools' ? createExecutedToolReader : null;
  return { provider, model: 'm', reportedCost, toolCharges, createToolReader, ...overrides };
}
