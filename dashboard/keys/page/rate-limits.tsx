import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { rateLimitListQuery } from '#dashboard/api/organizations.ts';
import { Button, buttonClasses } from '#dashboard/components/button.tsx';
import { Fact } from '#dashboard/components/facts.tsx';
import { useHasDraft } from '#dashboard/components/forms/drafts.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { LimitValue } from '#dashboard/rate-limits/limit-table.tsx';
import {
  type LimitsSubject,
  limitWords,
  noLimits,
  rateLimitsFragment,
  setLimits,
} from '#dashboard/rate-limits/limits.ts';
import type { ApiKeyDetails, RateLimitsSummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { rateLimitNames } from '#lambdas/limits/rates/rate-limits.ts';

const LimitsDialog = lazyComponent(() => import('#dashboard/rate-limits/limits-dialog.tsx'), 'LimitsDialog');

/** The rate limits that apply to a key: its own, and those of the organization. */
export function KeyRateLimits({
  apiKey: { id, name, state, replaces, rate_limits },
}: {
  apiKey: ApiKeyDetails;
}) {
  const organization = useOrganization();
  const list = useInfiniteQuery(rateLimitListQuery(organization.id));
  const limits = setLimits(rate_limits);
  const own: LimitsSubject = {
    kind: 'owner',
    owner: { ...(limits ?? noLimits), api_key_id: id, api_key_name: name },
  };
  const [editing, setEditing] = useState(useHasDraft('rate-limits') ? own : null);
  const maySet = state === 'active' && isAllowed(organization.role, 'manage_budgets');
  // The first of the list.
  const ofAll = setLimits(list.data?.pages[0]?.data.find(({ api_key_id: owner }) => owner === null) ?? null);
  return (
    <Section
      title="Rate limits"
      description={
        replaces.length > 0
          ? 'Those of the key that it has replaced: rotations share them.'
          : 'A request must fit the limits of its key and of the organization.'
      }
      action={
        <div className="flex flex-wrap gap-2">
          <Link
            to="/organizations/$organizationId/budgets"
            params={{ organizationId: organization.id }}
            hash={rateLimitsFragment}
            className={buttonClasses({ size: 'small' })}
          >
            All rate limits
          </Link>
          {maySet && (
            <Button size="small" onClick={() => setEditing(own)}>
              {limits === null && <Plus aria-hidden />}
              {limits === null ? 'Set rate limits' : 'Change'}
            </Button>
          )}
        </div>
      }
    >
      {limits ? (
        <LimitFacts limits={limits} />
      ) : (
        <p className="px-5 py-4 text-muted">The key has no rate limits of its own.</p>
      )}
      {ofAll && (
        <div className="border-t border-line">
          <p className="px-5 pt-4 text-[0.8125rem] text-muted">
            All keys of <bdi>{organization.name}</bdi> together, so this one too:
          </p>
          <LimitFacts limits={ofAll} />
        </div>
      )}
      <OnceOpened open={editing !== null}>
        <LimitsDialog subject={editing} onClose={() => setEditing(null)} />
      </OnceOpened>
    </Section>
  );
}

function LimitFacts({ limits }: { limits: RateLimitsSummary }) {
  return (
    <dl className="grid gap-x-8 gap-y-3 px-5 py-4 sm:grid-cols-3">
      {rateLimitNames.map((name) => (
        <Fact key={name} label={limitWords[name].title}>
          <LimitValue value={limits[name]} />
        </Fact>
      ))}
    </dl>
  );
}
