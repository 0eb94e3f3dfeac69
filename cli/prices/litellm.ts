/** Reads the price file of LiteLLM, `model_prices_and_context_window.json`. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { type NameInGateway, nameInGateway } from './litellm-names.ts';
import { type Row, readPrice, tierPricesOf } from './litellm-prices.ts';
import type { ImportedPrice } from './price-file.ts';

export const noSkipped = { provider: 0, mode: 0, unit: 0, name: 0, free: 0, duplicate: 0, lower: 0 };

/**
 * Rows are skipped when the gateway does not have their provider, mode or unit, when no request can name their model, when
 * they are free or have no price, and when another row is for the same model; prices of a tier, when they are lower than
 * the built-in ones.
 */
export type Skipped = typeof noSkipped;

export interface LiteLlmPrices {
  prices: ImportedPrice[];
  skipped: Skipped;
}

type PriceDefaults = Pick<ImportedPrice, 'organizationId' | 'from'>;

export function isLiteLlmFile(value: unknown): value is JsonObject {
  return isJsonObject(value) && Object.values(value).some(isRow);
}

/** Throws an `AdminError` that names an invalid row and field. */
export function readLiteLlmPrices(file: JsonObject, defaults: PriceDefaults): LiteLlmPrices {
  const skipped = { ...noSkipped };
  const byModel = new Map<string, ImportedPrice[]>();
  for (const [key, row] of Object.entries(file)) {
    // The sample explains the fields.
    if (!isRow(row) || key === 'sample_spec') continue;
    const found = findModel(file, key, row);
    if ('skip' in found) {
      skipped[found.skip] += 1;
      continue;
    }
    const { model, isPreferred } = found;
    const isDuplicate = byModel.has(model);
    if (isDuplicate) skipped.duplicate += 1;
    if (isDuplicate && !isPreferred) continue;
    byModel.set(
      model,
      tierPricesOf(key, row).map((tierPrices) => ({ ...defaults, model, ...tierPrices })),
    );
  }
  return { prices: [...byModel.values()].flat(), skipped };
}

function isRow(value: unknown): value is Row {
  return isJsonObject(value) && typeof value.litellm_provider === 'string';
}

/** The gateway's name of the row's model, or the reason why it is skipped. */
function findModel(file: JsonObject, key: string, row: Row): NameInGateway | { skip: keyof Skipped } {
  const found = nameInGateway(key, row.litellm_provider);
  if ('skip' in found) return found;
  if (row.mode !== 'chat') return { skip: 'mode' };
  const [input, output] = [readPrice(key, row, 'textInput'), readPrice(key, row, 'textOutput')];
  // Prices of ranges and of hours have no counterpart.
  const hasOtherPrices = 'tiered_pricing' in row || 'off_peak_pricing' in row;
  if (input === null || output === null || hasOtherPrices) return { skip: 'unit' };
  if (input === 0 && output === 0) return { skip: 'free' };
  return isGlobalPrice(file, key, row) ? { skip: 'name' } : found;
}

/**
 * For some models of Bedrock, the file has the price of global inference under the id without a prefix, which in a request
 * stands for the higher price of a region.
 */
function isGlobalPrice(file: JsonObject, key: string, { input_cost_per_token: input }: Row): boolean {
  const regional = file[`us.${key}`];
  return isRow(regional) && Number(regional.input_cost_per_token) > Number(input);
}
