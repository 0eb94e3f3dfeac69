/** The gateway's format of custom prices, which `price list --json` prints and `price import` reads. */
import { z } from 'zod';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { NewPrice } from '#lambdas/pricing/custom/change.ts';
import type { CustomPrice } from '#lambdas/pricing/custom/custom-price.ts';
import type { PriceScope } from '#lambdas/pricing/custom/store.ts';
import { AdminError } from '../errors.ts';
import { organizationId, windowBound } from '../options.ts';
import { modelName } from './model-name.ts';
import { tierName } from './options.ts';
import { longContextPrices, tokenPrices } from './token-prices.ts';

export interface ImportedPrice extends PriceScope, NewPrice {}

const unit = 'usd_per_million_tokens';

/** Ends of prices have the prices `null`. */
export function priceJson({ model, organizationId }: PriceScope, { from, tier, price }: CustomPrice) {
  return {
    model,
    organization_id: organizationId,
    tier,
    from,
    unit,
    prices: price?.prices ?? null,
    ...(price !== null && price.above.length > 0 && { above: price.above }),
  };
}

/** Throws an `AdminError` that names the first invalid row and field. Rows have the start and scope of the defaults. */
export function parsePriceFile(
  rows: readonly unknown[],
  settings: ProviderSettingsByName,
  defaults: Pick<ImportedPrice, 'organizationId' | 'from'>,
): ImportedPrice[] {
  const schema = z
    .strictObject({
      model: modelName(settings),
      organization_id: organizationId.nullish(),
      tier: tierName.nullish(),
      from: windowBound.optional(),
      unit: z.literal(unit, `must be "${unit}"`),
      prices: tokenPrices.nullable(),
      above: longContextPrices,
    })
    .refine(({ prices, above }) => prices !== null || above.length === 0, {
      path: ['above'],
      message: 'must be left out when prices is null, which ends a price',
    })
    .superRefine(({ prices, above }, { addIssue }) => {
      const kinds = Object.keys(prices ?? {});
      for (const [index, [bound, longer]] of above.entries()) {
        const previous = above[index - 1]?.[0] ?? 0;
        const path = ['above', index];
        if (bound <= previous) addIssue({ code: 'custom', path, message: 'must be in ascending order' });
        const unknown = Object.keys(longer).find((kind) => !kinds.includes(kind));
        if (unknown === undefined) continue;
        addIssue({ code: 'custom', path, message: `has ${unknown}, which prices must also have` });
      }
    });
  return rows.map((row, index) => {
    const { success, data, error } = schema.safeParse(row);
    if (!success) throw new AdminError(`Row ${index + 1}: ${issueText(error)}`, 2);
    const { model, organization_id, tier = null, from, prices, above } = data;
    return {
      model,
      organizationId: organization_id === undefined ? defaults.organizationId : organization_id,
      tier,
      from: from === undefined ? defaults.from : new Date(from),
      price: prices && { prices, above },
    };
  });
}

function issueText({ issues: [issue] }: z.ZodError): string {
  const message =
    issue?.code === 'unrecognized_keys' ? `has the unknown field ${issue.keys[0]}` : issue?.message;
  return `${issue?.path.join('.') ?? ''} ${message}`.trim();
}
