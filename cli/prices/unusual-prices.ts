/** Refuses prices that are probably mistakes, such as prices per thousand tokens or a misspelled tier, until confirmed. */
import { providerOf } from '#lambdas/pricing/custom/custom-price.ts';
import type { PriceScope, ScopedPrices } from '#lambdas/pricing/custom/store.ts';
import type { TokenPricesByLength } from '#lambdas/pricing/list-prices.ts';
import { knownTiers } from '#lambdas/pricing/max-rates.ts';
import { isSameTier } from '#lambdas/pricing/tier.ts';
import { AdminError } from '../errors.ts';
import { kindText } from './price-text.ts';

/** US dollars per million tokens. */
const maxUsualUsd = 1000;

export const yesDescription = `also set prices above ${maxUsualUsd} US dollars, and in tiers that are new to a provider`;

interface PriceOfTier extends Pick<PriceScope, 'model'> {
  tier: string | null;
  price: TokenPricesByLength | null;
}

interface Confirmation {
  /** The option `--yes`. */
  yes: boolean;
  readAll(): Promise<readonly ScopedPrices[]>;
}

/**
 * Throws an `AdminError` that names prices above 1,000 US dollars, and tiers of which neither the price table nor a custom
 * price of the provider knows.
 */
export async function requireUsualPrices(
  prices: readonly PriceOfTier[],
  { yes, readAll }: Confirmation,
): Promise<void> {
  if (yes) return;
  const unusual = [...prices.flatMap(highPricesOf), ...(await unknownTiersOf(prices, readAll))];
  if (unusual.length === 0) return;
  throw new AdminError(
    `Nothing was changed, since these may be mistakes: ${unusual.join('; ')}. If they are right, repeat the command with --yes`,
  );
}

function highPricesOf({ model, tier, price }: PriceOfTier): string[] {
  const lists = price === null ? [] : [price.prices, ...price.above.map(([, longer]) => longer)];
  const [maxPrice] = lists
    .flatMap((list) => Object.entries(list))
    .filter(([, usd]) => usd > maxUsualUsd)
    .sort(([, left], [, right]) => right - left);
  if (maxPrice === undefined) return [];
  const [kind, usd] = maxPrice;
  return [`${model} in the tier ${tier ?? 'standard'} has ${kindText(kind)} ${usd}`];
}

async function unknownTiersOf(
  prices: readonly PriceOfTier[],
  readAll: Confirmation['readAll'],
): Promise<string[]> {
  const named = prices.flatMap(({ model, tier, price }) =>
    tier === null || price === null ? [] : [{ provider: providerOf(model), tier }],
  );
  const isKnown = ({ provider, tier }: NamedTier, known: readonly string[]) =>
    known.some((name) => isSameTier(provider, name, tier));
  const notInTable = named.filter((tier) => !isKnown(tier, knownTiers(tier.provider)));
  if (notInTable.length === 0) return [];
  const custom = Map.groupBy(await readAll(), ({ model }) => providerOf(model));
  const unknown = notInTable.filter(({ provider, tier }) => {
    const scoped = custom.get(provider) ?? [];
    const tiers = scoped.flatMap((scope) => scope.prices.map((price) => price.price && price.tier));
    return !isKnown(
      { provider, tier },
      tiers.filter((name) => name !== null),
    );
  });
  return [...new Set(unknown.map(({ provider, tier }) => `${provider} has no known tier ${tier}`))];
}

interface NamedTier {
  provider: string;
  tier: string;
}
