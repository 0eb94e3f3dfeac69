import type { PriceChanges } from '#lambdas/pricing/custom/change.ts';
import type { CommandSession } from '../session.ts';

/** Says how to apply prices to requests that have been priced without them. */
export function noteReprice({ note }: Pick<CommandSession, 'note'>, changes: readonly PriceChanges[]): void {
  const starts = changes
    .filter(({ isLate }) => isLate)
    .flatMap(({ changed, removed }) => [...changed, ...removed].map(({ from }) => from));
  const [first] = starts.sort();
  if (first === undefined) return;
  note(
    `requests of up to a minute from now may have other prices: run "costs reprice --all --from ${first}" after it`,
  );
}
