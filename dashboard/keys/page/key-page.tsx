import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { useRef, useState } from 'react';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { isNotFound } from '#dashboard/api/client.ts';
import { keyDetailsQuery } from '#dashboard/api/keys.ts';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { BackLink, Page } from '#dashboard/components/page.tsx';
import { Card, Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useKeyName } from '#dashboard/key-names/use-key-names.ts';
import { Completeness } from '#dashboard/range/completeness.tsx';
import { RangeBar, useRange } from '#dashboard/range/range-bar.tsx';
import type { KeyAction } from '../actions/key-action.ts';
import { KeyActions } from './actions.tsx';
import { KeyAllowedModels } from './allowed-models.tsx';
import { KeyBudgets } from './budgets.tsx';
import { KeyCallers } from './callers.tsx';
import { KeyErrors } from './errors.tsx';
import { KeyFacts } from './facts.tsx';
import { LastRequests } from './last-requests.tsx';
import { KeyRateLimits } from './rate-limits.tsx';
import { KeyFigures, KeyUse } from './use.tsx';

const ActionDialog = lazyComponent(() => import('../actions/action-dialog.tsx'), 'ActionDialog');

const route = getRouteApi('/shell/organizations/$organizationId/keys/$keyId');

/** A key: its use, spend, budgets, rate limits, allowed models and errors, and what can be done with it. */
export function KeyPage() {
  const { keyId } = route.useParams();
  // The state of an open dialog belongs to one key.
  return <KeyView key={keyId} keyId={keyId} />;
}

function KeyView({ keyId }: { keyId: string }) {
  const { id: organizationId } = useOrganization();
  const range = useRange();
  const knownName = useKeyName(keyId);
  const details = useQuery(keyDetailsQuery(organizationId, keyId));
  const totals = useQuery(costsQuery(organizationId, { ...range.bounds, api_key_id: keyId }));
  const byModel = useQuery(
    costsQuery(organizationId, {
      ...range.bounds,
      api_key_id: keyId,
      group_by: 'model',
      limit: 20,
      interval: range.interval,
    }),
  );
  const [action, setAction] = useState<KeyAction | null>(null);
  const content = useRef<HTMLDivElement>(null);

  const back = (
    <BackLink link={<Link to="/organizations/$organizationId/keys" params={{ organizationId }} />}>
      API keys
    </BackLink>
  );
  if (isNotFound(details.error)) {
    return (
      <Page title="Key not found" back={back}>
        <Card>
          <EmptyState icon={SearchX} title="This organization has no key with this ID">
            The logs keep the ID of a key, also after its organization or the key itself is gone.
          </EmptyState>
        </Card>
      </Page>
    );
  }
  return (
    <Page
      title={details.data?.name ?? knownName?.name ?? keyId}
      back={back}
      description={<Completeness queries={[totals, byModel]} />}
      action={
        <div className="flex flex-wrap items-center gap-2">
          <RangeBar />
          {details.data && <KeyActions apiKey={details.data} onAction={setAction} />}
        </div>
      }
      wide
    >
      <div ref={content} tabIndex={-1} className="flex flex-col gap-10 outline-none">
        <Section title="Key">
          <QueryPanel query={details} skeleton={<Skeleton className="m-5 h-40" />}>
            {(data) => <KeyFacts apiKey={data} />}
          </QueryPanel>
        </Section>
        <KeyFigures query={totals} />
        {details.data && <KeyBudgets apiKey={details.data} />}
        {details.data && <KeyRateLimits apiKey={details.data} />}
        {details.data && <KeyAllowedModels apiKey={details.data} />}
        <KeyUse query={byModel} keyId={keyId} />
        <div className="grid items-start gap-x-6 gap-y-10 lg:grid-cols-2">
          <KeyCallers keyId={keyId} bounds={range.bounds} field="user_id" />
          <KeyCallers keyId={keyId} bounds={range.bounds} field="prompt_id" />
        </div>
        {totals.data && <KeyErrors keyId={keyId} totals={totals.data.totals} bounds={range.bounds} />}
        <LastRequests keyId={keyId} bounds={range.bounds} />
      </div>
      <OnceOpened open={action !== null}>
        <ActionDialog action={action} onClose={() => setAction(null)} focusAfter={content} />
      </OnceOpened>
    </Page>
  );
}
