import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { decimalsOf } from './decimals.ts';

interface ExactUsdProps {
  amount: string;
  /** The most that an amount of the column has. Fewer are filled up with the space of digits, after the text. */
  decimals: number;
}

/** An amount with all its digits, for columns that are aligned on the decimal point. */
export function ExactUsd({ amount, decimals }: ExactUsdProps) {
  return (
    <span
      data-fill={'0'.repeat(decimals - decimalsOf(amount))}
      className="whitespace-nowrap tabular-nums after:invisible after:content-[attr(data-fill)]"
    >
      {formatExactUsd(amount)}
    </span>
  );
}
