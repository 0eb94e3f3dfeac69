import { type Column, Table } from '#dashboard/components/table.tsx';
import { tierTitle } from '#dashboard/components/values/rates.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import type { ModelSummary, PriceVersion } from '#lambdas/accounts/analytics/responses.ts';
import { sinceDate, versionSource } from './origin.ts';

const columns: [Column<PriceVersion>, ...Column<PriceVersion>[]] = [
  { title: 'From', cell: ({ from }) => (from === null ? 'The beginning' : sinceDate(from)) },
  { title: 'Source', cell: versionSource },
  { title: 'Tier', cell: ({ tier }) => tierTitle(tier) },
  { title: 'Input', align: 'end', cell: ({ input_usd: usd }) => <Amount usd={usd} /> },
  {
    title: 'Cached input',
    align: 'end',
    cell: ({ input_usd: input, cached_input_usd: usd }) => <Amount usd={usd ?? input} />,
  },
  { title: 'Output', align: 'end', cell: ({ output_usd: usd }) => <Amount usd={usd} /> },
  {
    title: 'Set by',
    cell: ({ source, set_by: by }) => (
      <span className="wrap-anywhere">{source === 'table' ? '–' : (by ?? 'An operator')}</span>
    ),
  },
];

/** All versions of a model's prices that are stored, also those to come. Most models have a single one. */
export function PriceHistory({ model: { id, versions } }: { model: ModelSummary }) {
  if (versions.length === 0) return null;
  return (
    <section aria-label={`History of the prices of ${id}`} className="rounded-lg border border-line">
      <h2 className="px-5 pt-3 text-[0.8125rem] font-medium">History, in US dollars per million tokens</h2>
      <Table
        label={`History of ${id}`}
        columns={columns}
        items={versions}
        itemKey={({ source, tier, from }) => `${source}/${tier}/${from}`}
      />
    </section>
  );
}

function Amount({ usd }: { usd: string | null }) {
  return <span className="tabular-nums">{usd === null ? 'Ended' : formatExactUsd(usd)}</span>;
}
