/** Finds out which service tiers and speeds can serve a request, before its response names one. */
import type { CustomPrices } from './custom/custom-price.ts';
import { isStandardName } from './standard-tier.ts';
import { providerPrices } from './table/provider-prices.ts';
import { providerInTable } from './table/table-names.ts';

export interface RequestedTiers {
  /** The `service_tier` that is sent to the provider, `null` if none is. */
  serviceTier: string | null;
  /** Those that the provider may read instead, since the field occurs several times. */
  otherServiceTiers?: readonly (string | null)[];
  /**
   * The request's options as JSON in lower case. Providers have different fields for tiers and speeds, but a name that
   * does not occur in the options is not requested.
   */
  optionsText: string;
}

/**
 * Tiers that a provider may choose for requests without `service_tier`, or with `auto`, since its customer can make them
 * the default of a project: https://developers.openai.com/api/docs/guides/fast-mode.
 *
 * Other tiers serve only requests that name them: https://developers.openai.com/api/docs/guides/ultrafast-mode,
 * https://ai.google.dev/gemini-api/docs/priority-inference,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/service-tiers-inference.html,
 * https://docs.fireworks.ai/serverless/serverless-modes,
 * https://platform.claude.com/docs/en/build-with-claude/fast-mode. Prepaid capacity (Anthropic's `priority`, OpenAI's
 * `scale`) has no price per token.
 */
const defaultTiers: Readonly<Record<string, readonly string[]>> = { openai: ['priority'] };

/**
 * Does not list the standard tier, which can always serve a request: providers fall back to it. An operator who sets
 * prices of a tier expects it to serve requests that do not choose one.
 */
export function possibleTiers(
  provider: string,
  { serviceTier, otherServiceTiers = [], optionsText }: RequestedTiers,
  { organization, all }: CustomPrices,
): string[] {
  const customTiers = [...organization, ...all].map(({ tier }) => tier).filter((tier) => tier !== null);
  const requested = [...knownTiers(provider), ...customTiers].filter((tier) =>
    optionsText.includes(tier.toLowerCase()),
  );
  const selected = [serviceTier, ...otherServiceTiers].flatMap((tier) => {
    const isChosen = tier !== null && tier.toLowerCase() !== 'auto';
    return isChosen ? [tier] : [...defaultTiersOf(provider), ...customTiers];
  });
  return [...new Set([...requested, ...selected])].filter((tier) => !isStandardName(tier));
}

/** The names of the tiers and speeds with own prices for some model of the provider. */
export function knownTiers(provider: string): string[] {
  const { tiers = [], factors = [] } = providerPrices(providerInTable(provider)) ?? {};
  return [
    ...tiers.flatMap(({ names }) => names),
    ...factors.filter(({ when }) => when === 'service_tier' || when === 'speed').map(({ is }) => is),
  ];
}

function defaultTiersOf(provider: string): readonly string[] {
  return (Object.hasOwn(defaultTiers, provider) && defaultTiers[provider]) || [];
}
