import { Fact } from '#dashboard/components/facts.tsx';
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
