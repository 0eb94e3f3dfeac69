/** The parts of a statement. Each adds up to its totals. */
import type { ReactNode } from 'react';
import { Fact } from '#dashboard/components/facts.tsx';
import { operationTitles } from '#dashboard/components/request/operation.ts';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { tierTitle } from '#dashboard/components/values/rates.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { uncertainCostSentences, unpricedSentence } from '#dashboard/metrics/uncertainty.ts';
import type { Statement, StatementKey, StatementModel } from '#lambdas/accounts/analytics/responses.ts';
import { monthTitle } from './months.ts';
import { StatementTable } from './statement-table.tsx';

interface PartProps {
  statement: Statement;
  /** Leaves out the tokens. */
  compact?: boolean;
}

export function ModelTable({ statement, compact }: PartProps) {
  return (
    <StatementTable
      label="By model"
      printTitle={printTitle(statement)}
      names={[{ title: 'Model', cell: modelCell }]}
      items={statement.by_model}
      itemKey={({ provider, model }) => `${provider}/${model}`}
      totals={statement.totals}
      compact={compact}
    />
  );
}

export function KeyCostTable({ statement, compact }: PartProps) {
  return (
    <StatementTable
      label="By key"
      printTitle={printTitle(statement)}
      names={[{ title: 'Key', cell: keyName }]}
      items={statement.by_key}
      itemKey={({ api_key_id }) => api_key_id}
      totals={statement.totals}
      compact={compact}
    />
  );
}

export function LineTable({ statement }: PartProps) {
  return (
    <StatementTable
      label="All lines"
      printTitle={printTitle(statement)}
      names={[
        { title: 'Model', cell: modelCell },
        { title: 'Operation', cell: ({ operation }) => operationTitles[operation] },
        { title: 'Service tier', cell: ({ service_tier }) => tierTitle(service_tier) },
        { title: 'Key', cell: keyName },
      ]}
      items={statement.lines}
      itemKey={(line) =>
        [line.provider, line.model, line.operation, line.service_tier, line.api_key_id].join('/')
      }
      totals={statement.totals}
    />
  );
}

function printTitle({ organization, month }: Statement): string {
  return `${organization.name} · Statement, ${monthTitle(month)}`;
}

function modelCell({ provider, model }: Pick<StatementModel, 'provider' | 'model'>): ReactNode {
  return (
    <>
      <span className="font-normal text-muted">{provider}/</span>
      <wbr />
      {model}
    </>
  );
}

function keyName({ api_key_id, api_key_name }: Pick<StatementKey, 'api_key_id' | 'api_key_name'>): string {
  return api_key_name ?? api_key_id;
}

/** The totals, and with exact amounts how much of the cost is not certain. */
export function StatementTotals({ statement: { totals } }: { statement: Statement }) {
  const sentences = [...uncertainCostSentences(totals, formatExactUsd), unpricedSentence(totals)];
  return (
    <div className="flex flex-col gap-3">
      <dl className="flex flex-wrap gap-x-10 gap-y-4">
        <Fact look="figure" label="Cost">
          {formatExactUsd(totals.cost_usd)}
        </Fact>
        <Fact look="figure" label="Requests">
          {formatCount(totals.requests)}
        </Fact>
        <Fact look="figure" label="Input tokens">
          {formatCount(totals.input_tokens)}
        </Fact>
        <Fact look="figure" label="Output tokens">
          {formatCount(totals.output_tokens)}
        </Fact>
      </dl>
      <div className="flex flex-col gap-0.5 text-[0.8125rem] text-muted empty:hidden">
        {sentences.map((sentence) => sentence && <p key={sentence}>{sentence}</p>)}
      </div>
    </div>
  );
}
