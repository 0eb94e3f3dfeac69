/** Changes of costs as text and as JSON. */
import { textTable } from '../text-table.ts';
import type { CostChange, KindChange } from './cost-changes.ts';
import { aboveText, kindText } from './price-text.ts';

/** A line for each price that changes the cost of requests. */
export function changesText(changes: readonly CostChange[]): string {
  return textTable(
    ['MODEL', 'ORGANIZATION', 'TIER', 'FROM', 'OLD → NEW USD PER MILLION TOKENS'],
    changes.map(({ model, organizationId, tier, from, kinds }) => [
      model,
      organizationId ?? 'all',
      tier ?? 'standard',
      from,
      kindsText(kinds),
    ]),
  );
}

/** For example `input 2 → 3 (+50 %), output none → 8; above 200,000 input tokens: input 4 → 3 (-25 %)`. */
function kindsText(kinds: readonly KindChange[]): string {
  const byLength = [...Map.groupBy(kinds, ({ above }) => above)];
  return byLength
    .map(([above, changes]) => {
      const list = changes.map(kindChangeText).join(', ');
      return above === null ? list : `${aboveText(above)}: ${list}`;
    })
    .join('; ');
}

function kindChangeText(change: KindChange): string {
  const percent = percentOf(change);
  const sign = percent !== null && percent > 0 ? '+' : '';
  const difference = percent === null ? '' : ` (${sign}${percent} %)`;
  return `${kindText(change.kind)} ${change.old ?? 'none'} → ${change.new ?? 'none'}${difference}`;
}

export function changeJson({ model, organizationId, tier, from, kinds }: CostChange) {
  return {
    model,
    organization_id: organizationId,
    tier,
    from,
    kinds: kinds.map((change) => ({ ...change, percent: percentOf(change) })),
  };
}

/** With one decimal; `null` if there is no old price to compare with. */
function percentOf({ old, new: changed }: KindChange): number | null {
  if (old === null || old === 0 || changed === null) return null;
  return Number((((changed - old) / old) * 100).toFixed(1));
}
