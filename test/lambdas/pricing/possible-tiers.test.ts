import { describe, expect, it } from 'vitest';
import { noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import { possibleTiers } from '#lambdas/pricing/possible-tiers.ts';

const tiersOf = (serviceTier: string | null, otherServiceTiers: (string | null)[] = []) =>
  possibleTiers('openai', { serviceTier, otherServiceTiers, optionsText: '' }, noCustomPrices);

describe('possibleTiers', () => {
  it.each([null, 'auto', 'AUTO', 'Auto'])('includes the default of a project for the tier %s', (tier) => {
    expect(tiersOf(tier)).toEqual(['priority']);
    expect(tiersOf('flex', [tier])).toEqual(['flex', 'priority']);
  });

  it.each(['automatic', 'FLEX'])('includes only the tier that a request chooses: %s', (tier) => {
    expect(tiersOf(tier)).toEqual([tier]);
  });
});
