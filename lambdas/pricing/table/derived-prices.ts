/** Finds the prices that follow from those of more general kinds of tokens, as the provider documents. */
import type { TokenPriceName } from '../list-prices.ts';
import { matchesModelName } from './find-model.ts';
import { providerPrices } from './provider-prices.ts';
import { providerInTable } from './table-names.ts';

/**
 * Reasoning is output that every provider charges as such:
 * https://developers.openai.com/api/docs/guides/reasoning#how-reasoning-works,
 * https://ai.google.dev/gemini-api/docs/thinking#pricing,
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking#pricing
 */
const derivedEverywhere: readonly TokenPriceName[] = ['output_reasoning'];

export function derivedPrices(provider: string, model: string): ReadonlySet<string> {
  const { derived = [] } = providerPrices(providerInTable(provider)) ?? {};
  const documented = derived.filter(({ match }) => matchesModelName(match, provider, model));
  return new Set([...derivedEverywhere, ...documented.flatMap(({ prices }) => prices)]);
}
