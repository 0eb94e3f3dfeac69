import type { UseQueryResult } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '#dashboard/api/client.ts';
import { Button } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import {
  FigureTable,
  FigureTableSkeleton,
  GroupLabel,
  metricColumn,
  otherRow,
  type Sorting,
  spendColumn,
} from '#dashboard/metrics/figure-table.tsx';
import { parseGroupList } from '#dashboard/metrics/group-list/order.ts';
import { GroupListToolbar } from '#dashboard/metrics/group-list/toolbar.tsx';
import { useGroupList } from '#dashboard/metrics/group-list/use-group-list.ts';
import { HeaderHelp } from '#dashboard/metrics/metadata-header.tsx';
import { Completeness } from '#dashboard/range/completeness.tsx';
import { parseRangeSearch } from '#dashboard/range/range.ts';
import { RangeBar } from '#dashboard/range/range-bar.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { SessionPage } from './session-page.tsx';

/** The route of the callers' sessions; the account's sign-in sessions are another view. */
export const sessionsRoute = getRouteApi('/shell/organizations/$organizationId/sessions');

/** The sessions of the range, or the one in the link. */
export function SessionsView() {
  const { session_id: sessionId } = sessionsRoute.useSearch();
  return sessionId === undefined ? <SessionList /> : <SessionPage key={sessionId} sessionId={sessionId} />;
}

const maxSessions = 100;

const columns = [
  spendColumn,
  metricColumn('requests'),
  metricColumn('tokens'),
  metricColumn('error_rate'),
  metricColumn('mean_latency'),
];

function SessionList() {
  const { list, change, sorting, report, isOld } = useGroupList('session_id', maxSessions);
  return (
    <Page title="Sessions" description={<Completeness queries={[report]} />} action={<RangeBar />} wide>
      <GroupListToolbar
        label="Search sessions"
        list={list}
        onChange={change}
        columns={columns}
        report={report.data}
        fileName="sessions"
      />
      <Section
        title="Sessions of this range"
        description={
          <>
            Up to {maxSessions}, in the order of a column. Requests belong to a session by a{' '}
            <HeaderHelp group="session_id">header</HeaderHelp>.
          </>
        }
        action={<OpenSession />}
      >
        <SessionPanel report={report} isOld={isOld} isSearch={list.search !== undefined} sorting={sorting} />
      </Section>
    </Page>
  );
}

interface ListProps {
  sorting: Sorting;
  isSearch: boolean;
}

interface SessionPanelProps extends ListProps {
  report: UseQueryResult<CostReport>;
  isOld: boolean;
}

/** Sessions are the only groups of which a usual range can have too many. */
function SessionPanel({ report, isOld, ...list }: SessionPanelProps) {
  const { error, data } = report;
  if (data === undefined && error instanceof ApiError && error.param === 'group_by') {
    return (
      <div role="alert">
        <EmptyState icon={MessagesSquare} title="This range has too many sessions to rank">
          Choose a shorter range, such as an hour, or open a session by its ID.
          <span className="mt-2 block text-[0.8125rem]">{error.message}</span>
        </EmptyState>
      </div>
    );
  }
  return (
    <QueryPanel query={report} isOld={isOld} skeleton={<FigureTableSkeleton rows={8} />}>
      {(loaded) => <SessionTable report={loaded} {...list} />}
    </QueryPanel>
  );
}

function SessionTable({ report: { groups, other }, isSearch, sorting }: ListProps & { report: CostReport }) {
  if (groups.length === 0 && isSearch) {
    return (
      <EmptyState icon={MessagesSquare} title="No session matches">
        A search finds a part of the ID, in this range.
      </EmptyState>
    );
  }
  if (groups.length === 0) {
    return (
      <EmptyState icon={MessagesSquare} title="No requests in this range">
        Choose a longer range to see what the sessions of your applications cost.
      </EmptyState>
    );
  }
  const rows = groups.map(({ value, totals }) => ({
    key: value ?? '',
    name: value === null ? <NoSession /> : <SessionLink sessionId={value} />,
    totals,
  }));
  return (
    <FigureTable
      label="Sessions"
      nameTitle="Session"
      columns={columns}
      rows={[...rows, ...otherRow(other)]}
      sorting={sorting}
    />
  );
}

function SessionLink({ sessionId }: { sessionId: string }) {
  const { id: organizationId } = useOrganization();
  return (
    <Link
      to="/organizations/$organizationId/sessions"
      params={{ organizationId }}
      search={(search) => ({
        ...parseRangeSearch({ ...search }),
        ...parseGroupList({ ...search }),
        session_id: sessionId,
      })}
      className="block rounded-sm underline-offset-3 hover:underline"
    >
      <GroupLabel value={sessionId} name={sessionId} />
    </Link>
  );
}

function NoSession() {
  return (
    <span className="flex items-center gap-2.5">
      <GroupLabel value={null} name="No session" />
      <span className="text-[0.8125rem]">
        <HeaderHelp group="session_id">How to name sessions</HeaderHelp>
      </span>
    </span>
  );
}

/** Opens a session by its id, also one that is not among those listed. */
function OpenSession() {
  const navigate = sessionsRoute.useNavigate();
  const [sessionId, setSessionId] = useState('');
  return (
    <Form
      fields={['session_id']}
      error={null}
      onSubmit={() => navigate({ search: (search) => ({ ...search, session_id: sessionId.trim() }) })}
      className="flex w-full items-start gap-2 sm:w-auto"
    >
      <div className="min-w-0 flex-1 sm:w-56">
        <TextField
          label="Session ID"
          hiddenLabel
          name="session_id"
          placeholder="Session ID"
          maxLength={256}
          value={sessionId}
          onValueChange={setSessionId}
          validate={(value) => (value.trim() === '' ? 'Enter the ID of a session' : null)}
        />
      </div>
      <Button type="submit">Open</Button>
    </Form>
  );
}
