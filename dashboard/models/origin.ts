/** Where prices are from. */
import { formatDate } from '#dashboard/components/values/time-format.ts';
import type { ModelPrice, PriceVersion } from '#lambdas/accounts/analytics/responses.ts';

const sourceTitles: Record<ModelPrice['source'], string> = {
  organization: 'Custom price',
  all_organizations: 'Custom price',
  configuration: 'Settings',
  table: 'Price table',
};

const sourceTexts: Record<ModelPrice['source'], string> = {
  organization: "The operator's price for this organization",
  all_organizations: "The operator's price for all organizations",
  configuration: "The operator's price in the settings of the gateway",
  table: 'Price table',
};

/** Short, for the list. */
export function sourceTitle({ source }: ModelPrice): string {
  return sourceTitles[source];
}

/** In a sentence, such as "Price table genai-prices 0.1.8". */
export function sourceText({ source, version }: ModelPrice): string {
  return version === null ? sourceTexts[source] : `${sourceTexts[source]} ${version}`;
}

export function versionSource({ source }: PriceVersion): string {
  return sourceTexts[source];
}

/** Returns text such as "Price table genai-prices 0.1.8, since 7 Aug 2025". */
function originText(price: ModelPrice, locale?: Intl.LocalesArgument): string {
  const from = sourceText(price);
  return price.since === null ? from : `${from}, since ${sinceDate(price.since, locale)}`;
}

/** Prices begin at times of UTC. */
export function sinceDate(since: string, locale?: Intl.LocalesArgument): string {
  return formatDate(new Date(since), locale, 'UTC');
}

interface Origin {
  /** `null` for the standard tier. */
  tiers: (string | null)[];
  text: string;
  assumed: boolean;
}

/** Returns one for all tiers whose prices are from the same place and time. */
export function originsOf(prices: readonly ModelPrice[], locale?: Intl.LocalesArgument): Origin[] {
  const origins: Origin[] = [];
  for (const price of prices) {
    const text = originText(price, locale);
    const same = origins.find((origin) => origin.text === text && origin.assumed === price.assumed);
    if (same) same.tiers.push(price.tier);
    else origins.push({ tiers: [price.tier], text, assumed: price.assumed });
  }
  return origins;
}
