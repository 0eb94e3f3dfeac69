import { Tooltip } from '../overlay/tooltip.tsx';
import { formatCompact, formatCount } from './number-format.ts';

const minCompact = 1_000_000;

/** A count, which is shortened from a million on, with all its digits in a tooltip. */
export function Count({ value }: { value: number }) {
  if (value < minCompact) return formatCount(value);
  return (
    <Tooltip content={<span className="tabular-nums">{formatCount(value)}</span>}>
      <span>{formatCompact(value)}</span>
    </Tooltip>
  );
}
