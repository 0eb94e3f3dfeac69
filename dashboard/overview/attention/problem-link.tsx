import { Link } from '@tanstack/react-router';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useRangeSearch } from '#dashboard/range/range-bar.tsx';
import { BudgetLink } from '../budget-link.tsx';
import type { Problem } from './problems.ts';

/** The title of a problem, which leads to where it can be understood. A long one is cut where the line is wide enough for most. */
export function ProblemLink({ problem }: { problem: Problem }) {
  const { id: organizationId } = useOrganization();
  const { time_zone } = useRangeSearch();
  const { title: children } = problem;
  const params = { organizationId };
  const className = 'min-w-0 rounded-sm underline underline-offset-3 sm:truncate';
  switch (problem.kind) {
    case 'budget':
      return <BudgetLink budget={problem.budget} {...{ className, children }} />;
    case 'projection':
      return <Link to="/organizations/$organizationId/billing" {...{ params, className, children }} />;
    case 'provider':
      return (
        <Link
          to="/organizations/$organizationId/usage"
          search={{ range: '1h', time_zone, provider: problem.provider, group: 'error_code' }}
          {...{ params, className, children }}
        />
      );
    case 'unpriced':
      return <Link to="/organizations/$organizationId/models" {...{ params, className, children }} />;
    default:
      return problem satisfies never;
  }
}
