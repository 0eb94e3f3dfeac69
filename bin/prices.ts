/**
 * Writes `price-data.ts` and `context-window-data.ts` of `lambdas/pricing/table` and `docs/prices.md` from the installed
 * `@pydantic/genai-prices` and the folder `prices`: `npm run prices`.
 */
import { writeFileSync } from 'node:fs';
import { providerInTable } from '#lambdas/pricing/table/price-table-names.ts';
import { standardOutput } from '#lib/terminal-output.mjs';
import { contextWindowFile, contextWindowPath } from './prices/context-window-file.ts';
import { findSupersededRows } from './prices/merge.ts';
import { readPackagePrices } from './prices/package-models.ts';
import { priceDataFile, priceDataPath } from './prices/price-data-file.ts';
import { readPriceRows } from './prices/price-rows.ts';
import { pricesPage, pricesPagePath } from './prices/prices-page.ts';

const priceRows = readPriceRows();
const packagePrices = await readPackagePrices();
for (const [provider, rows] of priceRows) {
  const base = packagePrices.providers.get(providerInTable(provider)) ?? { models: [] };
  for (const { model, hasSamePrices } of findSupersededRows(base, rows)) {
    standardOutput.write(
      hasSamePrices
        ? `prices/${provider}.json: ${model} has the same prices in the package, remove the row\n`
        : `prices/${provider}.json: ${model} has other prices in the package, check which are right\n`,
    );
  }
}
writeFileSync(priceDataPath, priceDataFile(packagePrices, priceRows));
writeFileSync(contextWindowPath, contextWindowFile(packagePrices));
writeFileSync(pricesPagePath, pricesPage(priceRows));
