import type { CustomPriceTable } from '#lambdas/pricing/custom/lookup.ts';

/** A Prices table without items. */
export const emptyPriceTable: CustomPriceTable = {
  calls: { get: async () => null },
  tableName: 'Prices',
  now: () => new Date(),
};
