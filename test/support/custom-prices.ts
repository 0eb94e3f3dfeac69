import type { CustomPriceReads } from '#lambdas/pricing/custom/lookup.ts';

/** A Prices table without items. */
export const emptyPriceTable: CustomPriceReads = {
  calls: { get: async () => null },
  tableName: 'Prices',
  now: () => new Date(),
};
