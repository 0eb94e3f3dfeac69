import { getRouteApi, Link } from '@tanstack/react-router';
import { SquareTerminal } from 'lucide-react';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import {
  FigureTable,
  FigureTableSkeleton,
  GroupLabel,
  meanCostColumn,
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
import { PromptPage } from './prompt-page.tsx';

const route = getRouteApi('/shell/organizations/$organizationId/prompts');

/** The prompts of the range, or the one in the link. */
export function PromptsView() {
  const { prompt_id: promptId } = route.useSearch();
  return promptId === undefined ? <PromptList /> : <PromptPage key={promptId} promptId={promptId} />;
}

const maxPrompts = 100;

const columns = [
  spendColumn,
  metricColumn('requests'),
  metricColumn('error_rate'),
  meanCostColumn,
  metricColumn('latency_p50'),
  metricColumn('latency_p95'),
];

function PromptList() {
  const { list, change, sorting, report, isOld } = useGroupList('prompt_id', maxPrompts);
  return (
    <Page title="Prompts" description={<Completeness queries={[report]} />} action={<RangeBar />} wide>
      <GroupListToolbar
        label="Search prompts"
        list={list}
        onChange={change}
        columns={columns}
        report={report.data}
        fileName="prompts"
      />
      <Section
        title="Prompts of this range"
        description={
          <>
            Up to {maxPrompts}, in the order of a column. Requests belong to a prompt by a{' '}
            <HeaderHelp group="prompt_id">header</HeaderHelp>.
          </>
        }
      >
        <QueryPanel query={report} isOld={isOld} skeleton={<FigureTableSkeleton rows={8} />}>
          {(data) => <PromptTable report={data} isSearch={list.search !== undefined} sorting={sorting} />}
        </QueryPanel>
      </Section>
    </Page>
  );
}

interface PromptTableProps {
  sorting: Sorting;
  report: CostReport;
  isSearch: boolean;
}

function PromptTable({ report: { groups, other }, isSearch, sorting }: PromptTableProps) {
  if (groups.length === 0 && isSearch) {
    return (
      <EmptyState icon={SquareTerminal} title="No prompt matches">
        A search finds a part of the ID, in this range.
      </EmptyState>
    );
  }
  if (groups.length === 0) {
    return (
      <EmptyState icon={SquareTerminal} title="No requests in this range">
        Choose a longer range to see what the prompts of your applications cost.
      </EmptyState>
    );
  }
  const rows = groups.map(({ value, totals }) => ({
    key: value ?? '',
    name: value === null ? <NoPrompt /> : <PromptLink promptId={value} />,
    totals,
  }));
  return (
    <FigureTable
      label="Prompts"
      nameTitle="Prompt"
      columns={columns}
      rows={[...rows, ...otherRow(other)]}
      sorting={sorting}
    />
  );
}

function PromptLink({ promptId }: { promptId: string }) {
  const { id: organizationId } = useOrganization();
  return (
    <Link
      to="/organizations/$organizationId/prompts"
      params={{ organizationId }}
      search={(search) => ({
        ...parseRangeSearch({ ...search }),
        ...parseGroupList({ ...search }),
        prompt_id: promptId,
      })}
      className="block rounded-sm underline-offset-3 hover:underline"
    >
      <GroupLabel value={promptId} name={promptId} />
    </Link>
  );
}

function NoPrompt() {
  return (
    <span className="flex items-center gap-2.5">
      <GroupLabel value={null} name="No prompt" />
      <span className="text-[0.8125rem]">
        <HeaderHelp group="prompt_id">How to name prompts</HeaderHelp>
      </span>
    </span>
  );
}
