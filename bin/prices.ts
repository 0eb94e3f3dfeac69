/** Writes `lambdas/pricing/price-data.ts` from the installed `@pydantic/genai-prices`: `npm run prices`. */
import { writeFileSync } from 'node:fs';
import { priceDataFile, priceDataPath } from './prices/price-data-file.ts';

writeFileSync(priceDataPath, await priceDataFile());
