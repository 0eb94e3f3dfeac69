import { formatCount } from '#dashboard/components/values/number-format.ts';
import { rateTitle } from '#dashboard/components/values/rates.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import type { BilledPart, Charge } from '#lambdas/accounts/analytics/responses.ts';
import { priceUnit } from './price-unit.ts';

interface BreakdownTableProps {
  parts: readonly BilledPart[];
  /** The parts add up to it. */
  total: string;
}

const cellClasses = 'px-2 py-2.5 text-right tabular-nums sm:px-4';
const headClasses = 'px-2 pt-3 pb-1 text-right text-xs font-medium text-muted sm:px-4';

/** Count × price of each charge. Parts have headings and sums of their own if there is more than one. */
export function BreakdownTable({ parts, total }: BreakdownTableProps) {
  const isSplit = parts.length > 1;
  return (
    <table className="w-full">
      <caption className="sr-only">Cost breakdown</caption>
      <thead>
        <tr>
          <th scope="col" className="pt-3 pb-1 pl-5 text-left text-xs font-medium text-muted">
            Charge
          </th>
          <th scope="col" className={`${headClasses} max-sm:hidden`}>
            Count
          </th>
          <th scope="col" className={`${headClasses} max-sm:hidden`}>
            Price
          </th>
          <th scope="col" className="pt-3 pr-5 pb-1 text-right text-xs font-medium text-muted">
            Cost
          </th>
        </tr>
      </thead>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of the same model can be alike, and nothing moves.
        <tbody key={index}>
          {isSplit && (
            <tr className="border-t border-line">
              <th scope="rowgroup" colSpan={4} className="px-5 pt-3 pb-1 text-left font-medium">
                {part.model}
              </th>
            </tr>
          )}
          {part.charges.map((charge) => (
            <ChargeRow key={`${charge.type} ${charge.price_usd}`} charge={charge} />
          ))}
          {isSplit && <SumRow title={`Subtotal of ${part.model}`} amount={part.cost_usd} isSubtotal />}
        </tbody>
      ))}
      <tfoot>
        <SumRow title="Total" amount={total} />
      </tfoot>
    </table>
  );
}

function ChargeRow({ charge }: { charge: Charge }) {
  const { type, count, price_usd, cost_usd } = charge;
  const price = formatExactUsd(price_usd);
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-2.5 pl-5 text-left font-normal">
        {rateTitle(type)}
        <span className="block text-[0.8125rem] text-muted tabular-nums sm:hidden">
          {formatCount(count)} × {price} {priceUnit(charge)}
        </span>
      </th>
      <td className={`${cellClasses} max-sm:hidden`}>{formatCount(count)}</td>
      <td className={`${cellClasses} whitespace-nowrap max-sm:hidden`}>
        {price} <span className="text-muted">{priceUnit(charge)}</span>
      </td>
      <td className="py-2.5 pr-5 text-right whitespace-nowrap tabular-nums">{formatExactUsd(cost_usd)}</td>
    </tr>
  );
}

function SumRow({
  title,
  amount,
  isSubtotal = false,
}: {
  title: string;
  amount: string;
  isSubtotal?: boolean;
}) {
  return (
    <tr className="border-t border-line font-medium">
      <th scope="row" className="py-3 pl-5 text-left font-medium">
        {isSubtotal ? <span className="text-muted">{title}</span> : title}
      </th>
      <td className="max-sm:hidden" />
      <td className="max-sm:hidden" />
      <td className="py-3 pr-5 text-right whitespace-nowrap tabular-nums">{formatExactUsd(amount)}</td>
    </tr>
  );
}
