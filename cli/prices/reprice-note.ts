import type { PriceChanges } from '#lambdas/pricing/custom/change.ts';
import { customPriceTtlMs } from '#lambdas/pricing/custom/lookup.ts';
import type { CommandContext } from '../command-context.ts';

/** Says how to apply prices to requests that have been priced without them. */
export function noteReprice(
  { note, now }: Pick<CommandContext, 'note' | 'now'>,
  changes: readonly PriceChanges[],
  organizationId: string | null,
): void {
  const starts = changes
    .filter(({ isLate }) => isLate)
    .flatMap(({ changed, removed }) => [...changed, ...removed].map(({ from }) => from));
  const [start] = starts.sort();
  if (start === undefined) return;
  const usedFrom = new Date(Math.ceil((now().getTime() + customPriceTtlMs) / 1000) * 1000);
  const scope = organizationId === null ? '' : ` --organization ${organizationId}`;
  note(
    `functions may use other prices until ${usedFrom.toISOString().replace('.000Z', 'Z')}; after that, "costs reprice --all --from ${start}${scope}" corrects requests since the start`,
  );
}
