/** Options that the price commands share. */
import { z } from 'zod';
import { isStandardName } from '#lambdas/pricing/price-context.ts';
import { organizationId, windowBound } from '../options.ts';

/** `null` for the standard tier. */
export const tierName = z
  .string()
  // Longer names in responses are cut.
  .regex(/^[!-~]{1,32}$/, 'must be the name of a service tier, such as flex')
  .transform((name) => (isStandardName(name) ? null : name));

export const scopeOptions = z.object({
  from: windowBound
    .transform((timestampMs) => new Date(timestampMs))
    .nullable()
    .default(null),
  organization: organizationId.nullable().default(null),
});

export const tierOptions = scopeOptions.extend({ tier: tierName.nullable().default(null) });
