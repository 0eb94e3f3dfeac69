import { createPricing } from './price.ts';
import { priceTable } from './price-table.ts';

export const pricing = createPricing(priceTable);
