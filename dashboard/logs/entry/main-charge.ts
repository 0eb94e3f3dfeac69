import { formatRoundShare } from '#dashboard/components/values/number-format.ts';
import { rateTitle } from '#dashboard/components/values/rates.ts';
import { isGreaterUsd } from '#dashboard/components/values/usd-format.ts';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';

/** Names the charge that costs the most, such as "82% is for output."; null if there is nothing to compare. */
export function describeMainCharge({
  cost_usd,
  cost_breakdown: parts,
}: Pick<LogEntryDetails, 'cost_usd' | 'cost_breakdown'>): string | null {
  const charges =
    parts?.flatMap(({ model, charges }) => charges.map((charge) => ({ ...charge, model }))) ?? [];
  if (parts === null || charges.length < 2 || !isGreaterUsd(cost_usd, '0')) return null;
  const main = charges.reduce((most, charge) =>
    isGreaterUsd(charge.cost_usd, most.cost_usd) ? charge : most,
  );
  // Both are small enough for a share in whole percent.
  const share = Math.round((100 * Number(main.cost_usd)) / Number(cost_usd)) / 100;
  const title = rateTitle(main.type).toLowerCase();
  return `${formatRoundShare(share)} is for ${title}${parts.length > 1 ? ` of ${main.model}` : ''}.`;
}
