import type { ReactNode } from 'react';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { uncertainCostSentences, unpricedSentence } from '#dashboard/metrics/uncertainty.ts';
import type { Statement } from '#lambdas/accounts/analytics/responses.ts';

/** The totals, and with exact amounts how much of the cost is not certain. */
export function StatementTotals({ statement: { totals } }: { statement: Statement }) {
  const sentences = [...uncertainCostSentences(totals, formatExactUsd), unpricedSentence(totals)];
  return (
    <div className="flex flex-col gap-3">
      <dl className="flex flex-wrap gap-x-10 gap-y-4">
        <Figure label="Cost">{formatExactUsd(totals.cost_usd)}</Figure>
        <Figure label="Requests">{formatCount(totals.requests)}</Figure>
        <Figure label="Input tokens">{formatCount(totals.input_tokens)}</Figure>
        <Figure label="Output tokens">{formatCount(totals.output_tokens)}</Figure>
      </dl>
      <div className="flex flex-col gap-0.5 text-[0.8125rem] text-muted empty:hidden">
        {sentences.map((sentence) => sentence && <p key={sentence}>{sentence}</p>)}
      </div>
    </div>
  );
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[0.8125rem] text-muted">{label}</dt>
      <dd className="mt-0.5 text-lg font-semibold tracking-[-0.01em] wrap-anywhere tabular-nums">
        {children}
      </dd>
    </div>
  );
}
