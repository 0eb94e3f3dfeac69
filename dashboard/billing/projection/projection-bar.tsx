import type { Projection } from '#lambdas/accounts/analytics/responses.ts';
import { barShares, verdictOf } from './projection.ts';

/** Shows what is spent, in a lighter colour what is projected, and a mark at the budget. The text beside it says the same. */
export function ProjectionBar({ projection }: { projection: Projection }) {
  const { spent, projected, budget } = barShares(projection);
  const fill = verdictOf(projection) === 'above' ? 'fill-[light-dark(#e0930a,#eebb4d)]' : 'fill-accent';
  return (
    <div className="relative">
      <svg
        aria-hidden
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        className="block h-2.5 w-full overflow-hidden rounded-full bg-selected"
      >
        {projected !== null && projected > spent && (
          <rect x={spent} width={projected - spent} height="1" className={fill} opacity="0.35" />
        )}
        <rect width={spent} height="1" className={fill} />
      </svg>
      {budget !== null && (
        <span
          aria-hidden
          style={{ left: `${budget}%` }}
          className="absolute -inset-y-1 w-0.5 -translate-x-full rounded-full bg-text"
        />
      )}
    </div>
  );
}
