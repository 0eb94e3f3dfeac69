/** Finds out how new custom prices change the cost of requests. */
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { CustomPrice, CustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import type { CustomPriceSnapshot, PriceScope } from '#lambdas/pricing/custom/store.ts';
import { followedKinds, priceNames, type TokenPriceName } from '#lambdas/pricing/list-prices.ts';
import type { PriceSources } from '#lambdas/pricing/precedence.ts';
import { type TokenKind, tokenKinds } from '#lambdas/pricing/rates.ts';
import { boundsOf, findPrice, lookupOf, type RequestLookup, settingsOf } from './request-prices.ts';

export interface SetPrice extends PriceScope, CustomPrice {}

export interface CostChange extends PriceScope, Pick<CustomPrice, 'tier' | 'from'> {
  /** Empty when requests cost as much as before. */
  kinds: readonly KindChange[];
}

/** US dollars per million tokens, `null` for tokens without a price. */
export interface KindChange {
  /** For requests with more input tokens; `null` for shorter ones. */
  above: number | null;
  kind: TokenPriceName;
  old: number | null;
  new: number | null;
}

interface FormerPrices {
  /** The custom prices before the command. */
  snapshot: CustomPriceSnapshot;
  settings: ProviderSettingsByName;
}

/** Compares what requests cost at the start of each price, with and without it. Prices that start earlier are old ones. */
export function costChangesOf(
  prices: readonly SetPrice[],
  { snapshot, settings }: FormerPrices,
): CostChange[] {
  const byModel = Map.groupBy(prices, ({ model }) => model);
  return prices.map((price) => {
    const { model, organizationId, tier, from } = price;
    const lookup = lookupOf({ model, tier, at: new Date(from) }, settings);
    const earlier = (byModel.get(model) ?? []).filter((other) => other.from < from);
    const sourcesWith = (...more: SetPrice[]): PriceSources => {
      const added = [...earlier, ...more];
      const { organization, all } = snapshot.find(organizationId ?? '', model);
      const ofScope = (scope: string | null) => added.filter((other) => other.organizationId === scope);
      const customPrices: CustomPrices = {
        organization: organizationId === null ? [] : inOrder([...organization, ...ofScope(organizationId)]),
        all: inOrder([...all, ...ofScope(null)]),
      };
      return { settings: settingsOf(model, settings), findCustomPrices: () => customPrices };
    };
    const kinds = kindChanges(lookup, sourcesWith(), sourcesWith(price));
    return { model, organizationId, tier, from, kinds };
  });
}

/** A later one with the same start replaces the other. */
function inOrder(prices: readonly CustomPrice[]): CustomPrice[] {
  return prices.toSorted((left, right) => (left.from < right.from ? -1 : Number(left.from > right.from)));
}

function kindChanges(lookup: RequestLookup, before: PriceSources, after: PriceSources): KindChange[] {
  const bounds = [...boundsOf(lookup, before), ...boundsOf(lookup, after)];
  const lengths = [null, ...new Set(bounds.sort((left, right) => left - right))];
  return lengths.flatMap((above) => {
    const [oldPrice, newPrice] = [before, after].map((sources) =>
      findPrice(lookup, sources, above === null ? 0 : above + 1),
    );
    const pairOf = (kind: TokenKind) => ({
      old: oldPrice?.rates.usdPerMillion[kind] ?? null,
      new: newPrice?.rates.usdPerMillion[kind] ?? null,
    });
    return tokenKinds.flatMap((kind) => {
      const pair = pairOf(kind);
      const general = followedKinds[kind];
      // Most kinds have the price of a more general one, whose change says it all.
      const isImplied = general !== null && isSamePair(pair, pairOf(general));
      return pair.old === pair.new || isImplied ? [] : [{ above, kind: priceNames[kind], ...pair }];
    });
  });
}

type PricePair = Pick<KindChange, 'old' | 'new'>;

function isSamePair(left: PricePair, right: PricePair): boolean {
  return left.old === right.old && left.new === right.new;
}
