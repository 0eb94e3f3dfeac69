/** Reads the files of `price import`: the gateway's own format, and the price file of LiteLLM. */
import { readFile } from 'node:fs/promises';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { providerOf } from '#lambdas/pricing/custom/custom-price.ts';
import { isSameTier } from '#lambdas/pricing/tier.ts';
import { AdminError, usageError } from '../errors.ts';
import { isBelowBuiltIn } from './built-in-prices.ts';
import { isLiteLlmFile, type LiteLlmPrices, noSkipped, readLiteLlmPrices } from './litellm.ts';
import { type ImportedPrice, parsePriceFile } from './price-file.ts';

interface ImportSource {
  path: string;
  settings: ProviderSettingsByName;
  /** For rows that leave them out. */
  defaults: Pick<ImportedPrice, 'organizationId' | 'from'>;
  /** Keeps prices of LiteLLM that are lower than the built-in ones. */
  allowLower: boolean;
  now(): Date;
}

/** Throws an `AdminError` for an invalid file. */
export async function readImportFile(source: ImportSource): Promise<LiteLlmPrices> {
  const value = await readJson(source.path);
  const found = readPrices(value, source);
  assertDistinct(found.prices);
  return found;
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw usageError(`The file cannot be read: ${error.message}`);
  });
  const value = parseJson(text);
  if (value === undefined) throw usageError(`${path} is not valid JSON`);
  return value;
}

function readPrices(value: unknown, source: ImportSource): LiteLlmPrices {
  const { settings, defaults, allowLower } = source;
  if (Array.isArray(value)) {
    return { prices: parsePriceFile(value, settings, defaults), skipped: noSkipped };
  }
  if (isLiteLlmFile(value)) {
    const found = readLiteLlmPrices(value, defaults);
    return allowLower ? found : withoutLowerPrices(found, source);
  }
  throw usageError(
    'The file must be an array of prices, as of "price list --json", or the price file of LiteLLM',
  );
}

function withoutLowerPrices({ prices, skipped }: LiteLlmPrices, source: ImportSource): LiteLlmPrices {
  const kept = prices.filter((price) => !isBelowBuiltIn(price, source));
  return { prices: kept, skipped: { ...skipped, lower: prices.length - kept.length } };
}

/** Throws an `AdminError` when two prices of a file exclude each other. */
function assertDistinct(prices: readonly ImportedPrice[]): void {
  const isSame = (left: ImportedPrice, right: ImportedPrice) =>
    left.from?.getTime() === right.from?.getTime() &&
    isSameTier(providerOf(left.model), left.tier, right.tier);
  for (const group of byScope(prices)) {
    for (const [index, price] of group.entries()) {
      if (!group.slice(0, index).some((other) => isSame(other, price))) continue;
      const start = price.from?.toISOString() ?? 'the default start';
      throw new AdminError(
        `The file has two prices of ${price.model} in the tier ${price.tier ?? 'standard'} from ${start}: remove one`,
        2,
      );
    }
  }
}

export function byScope(prices: readonly ImportedPrice[]): ImportedPrice[][] {
  return [
    ...Map.groupBy(prices, ({ model, organizationId }) => JSON.stringify([model, organizationId])).values(),
  ];
}
