import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { rateLimitListQuery } from '#dashboard/api/organizations.ts';
import { Button, buttonClasses } from '#dashboard/components/button.tsx';
import { LoadMore } from '#dashboard/components/feedback/load-more.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { useHasDraft } from '#dashboard/components/forms/drafts.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { RateLimitList, RateLimitOwner } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { DefaultLimits } from './default-limits.tsx';
import { LimitTable, NoLimits } from './limit-table.tsx';
import { type LimitsSubject, type PresentLimits, rateLimitsFragment, setLimits } from './limits.ts';

const LimitsDialog = lazyComponent(() => import('./limits-dialog.tsx'), 'LimitsDialog');

const RemoveDialog = lazyComponent(() => import('./remove-dialog.tsx'), 'RemoveDialog');

interface RateLimitsSectionProps {
  /** Whether the link of the view opens the form. */
  isSettingByLink: boolean;
  /** Called when that form is closed. */
  onLinkDone: () => void;
}

/** The rate limits of the organization and its keys, and those that new keys start with. */
export function RateLimitsSection({ isSettingByLink, onLinkDone }: RateLimitsSectionProps) {
  const { id: organizationId, role } = useOrganization();
  const query = useInfiniteQuery(rateLimitListQuery(organizationId));
  const hasDraft = useHasDraft('rate-limits');
  const [chosen, setChosen] = useState<LimitsSubject | null>(hasDraft ? { kind: 'new' } : null);
  const [removing, setRemoving] = useState<PresentLimits | null>(null);
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The router scrolls to what is there when it has loaded the view, and this comes later.
    if (location.hash === `#${rateLimitsFragment}`) container.current?.scrollIntoView();
  }, []);

  const maySet = isAllowed(role, 'manage_budgets');
  const editing = maySet ? (chosen ?? (isSettingByLink ? { kind: 'new' as const } : null)) : null;
  const close = () => {
    setChosen(null);
    if (isSettingByLink) onLinkDone();
  };
  const actions = maySet ? { change: setChosen, remove: setRemoving } : null;
  const owners = ownersOf(query.data);
  const setButton = maySet ? (
    <Button size="small" onClick={() => setChosen({ kind: 'new' })}>
      <Plus aria-hidden />
      Set rate limits
    </Button>
  ) : null;
  const defaults = query.data?.pages[0]?.defaults;

  return (
    <div
      ref={container}
      id={rateLimitsFragment}
      tabIndex={-1}
      className="flex scroll-mt-20 flex-col gap-10 outline-none md:scroll-mt-6"
    >
      <Section
        title="Rate limits"
        description="A request must fit the limits of its key and of the organization."
        action={
          <div className="flex flex-wrap gap-2">
            <RefusedLink />
            {owners?.length !== 0 && setButton}
          </div>
        }
      >
        <QueryStatus query={query} skeleton={<TableSkeleton rows={2} />} />
        {owners &&
          (owners.length > 0 ? (
            <LimitTable owners={owners} actions={actions} />
          ) : (
            !query.hasNextPage && <NoLimits action={setButton} />
          ))}
        {query.hasNextPage && (
          <div className="border-t border-line p-4">
            <LoadMore query={query} />
          </div>
        )}
      </Section>
      {defaults && <DefaultLimits defaults={defaults} actions={actions} />}
      <OnceOpened open={editing !== null}>
        <LimitsDialog subject={editing} onClose={close} />
      </OnceOpened>
      <OnceOpened open={removing !== null}>
        <RemoveDialog subject={removing} onClose={() => setRemoving(null)} focusAfter={container} />
      </OnceOpened>
    </div>
  );
}

function ownersOf(data: InfiniteData<RateLimitList> | undefined): RateLimitOwner[] | undefined {
  return data?.pages.flatMap((page) => page.data.filter((owner) => setLimits(owner) !== null));
}

/** Leads to the requests that rate limits have refused. */
function RefusedLink() {
  const { id: organizationId } = useOrganization();
  return (
    <Link
      to="/organizations/$organizationId/logs"
      params={{ organizationId }}
      search={{ outcome: 'rejected', error_code: 'rate_limit_exceeded' }}
      className={buttonClasses({ size: 'small' })}
    >
      Refused requests
    </Link>
  );
}
