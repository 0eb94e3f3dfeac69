import { Tooltip } from '../overlay/tooltip.tsx';
import { formatExactUsd, formatUsd } from './usd-format.ts';

/** An amount of US dollars, with all its decimals in a tooltip where they are not shown. */
export function Usd({ amount }: { amount: string }) {
  const [text, exact] = [formatUsd(amount), formatExactUsd(amount)];
  if (text === exact) return <span className="whitespace-nowrap tabular-nums">{text}</span>;
  return (
    <Tooltip content={<span className="tabular-nums">{exact}</span>}>
      <span className="whitespace-nowrap tabular-nums">{text}</span>
    </Tooltip>
  );
}
