import { Table } from '#dashboard/components/table.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import type { RouteActivity, TargetActivity } from '#lambdas/accounts/analytics/responses.ts';
import type { RouteSummary } from '#lambdas/accounts/organizations/responses.ts';
import { settingsOf, usdOf } from './words.ts';

interface TargetTableProps {
  route: RouteSummary;
  /** Null if it is not known. */
  activity: RouteActivity | null;
}

/** The targets in their order, with what they have done in the last hour. */
export function TargetTable({ route, activity }: TargetTableProps) {
  const rows = targetRows(route, activity);
  const count = (title: string, name: 'attempts' | 'failures' | 'skips') => ({
    title,
    align: 'end' as const,
    cell: ({ figures }: TargetRow) => <Figure text={figures && formatCount(figures[name])} />,
  });
  return (
    <Table
      label={`Targets of ${route.name}`}
      columns={[
        { title: 'Target', cell: (row) => <TargetName row={row} /> },
        count('Attempts', 'attempts'),
        count('Failures', 'failures'),
        count('Skips', 'skips'),
        {
          title: 'Cost',
          align: 'end',
          cell: ({ figures }) => <Figure text={figures && usdOf(figures.cost_usd)} />,
        },
      ]}
      items={rows}
      itemKey={({ key }) => key}
    />
  );
}

interface TargetRow {
  key: string;
  /** From 1; `null` for a model that is no target any more. */
  position: number | null;
  model: string;
  settings: string[];
  /** Null if they are not known, or those of the model are in a row before. */
  figures: TargetActivity | null;
}

/** The targets of the route, and the models that were its targets within the last hour. */
export function targetRows(
  { targets, strategy }: Pick<RouteSummary, 'targets' | 'strategy'>,
  activity: RouteActivity | null,
): TargetRow[] {
  const ofModel = new Map(activity?.targets.map((figures) => [figures.model, figures]));
  const rows = targets.map((target, index): TargetRow => {
    const { model } = target;
    const isFirst = targets.findIndex((other) => other.model === model) === index;
    const none = { model, attempts: 0, failures: 0, skips: 0, cost_usd: 0 };
    return {
      key: `${index}`,
      position: index + 1,
      model,
      settings: settingsOf(target, strategy),
      figures: activity !== null && isFirst ? (ofModel.get(model) ?? none) : null,
    };
  });
  const models = new Set(targets.map(({ model }) => model));
  const former = [...ofModel.values()].filter(({ model }) => !models.has(model));
  return [
    ...rows,
    ...former.map((figures) => ({
      key: figures.model,
      position: null,
      model: figures.model,
      settings: ['no target any more'],
      figures,
    })),
  ];
}

function TargetName({ row: { position, model, settings } }: { row: TargetRow }) {
  return (
    <span className="block min-w-0 wrap-anywhere">
      {position !== null && <span className="font-normal text-muted tabular-nums">{position}. </span>}
      {model}
      {settings.length > 0 && (
        <span className="block text-[0.8125rem] font-normal text-muted">{settings.join(' · ')}</span>
      )}
    </span>
  );
}

function Figure({ text }: { text: string | null }) {
  return <span className="tabular-nums">{text ?? <span className="text-muted">–</span>}</span>;
}
