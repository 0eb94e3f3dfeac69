/** The change of a figure against the preceding range. */
import { formatChange, formatPoints } from '#dashboard/components/values/number-format.ts';

export interface Change {
  direction: 'up' | 'down' | 'none';
  /** Such as "12.4%", or "0.4 pt" of a share. */
  text: string;
  tone: 'good' | 'bad' | 'neutral';
}

/** Whether a rise is good or bad. Rising spending is neither. */
type RiseMeaning = 'bad' | 'neutral';

/** @param change relative: 0.25 is 25 % more */
export function relativeChange(change: number | null, rise: RiseMeaning, locale?: Intl.LocalesArgument) {
  return change === null ? null : changeOf(change, formatChange(Math.abs(change), locale), rise);
}

/** Compares two shares. The change is in percentage points. */
export function pointsChange(
  current: number | null,
  previous: number | null,
  rise: RiseMeaning,
  locale?: Intl.LocalesArgument,
): Change | null {
  if (current === null || previous === null) return null;
  const change = current - previous;
  return changeOf(change, formatPoints(Math.abs(change), locale), rise);
}

/** Null without a figure to compare with. */
export function ratioChange(current: number | null, previous: number | null): number | null {
  return current === null || previous === null || previous === 0 ? null : current / previous - 1;
}

function changeOf(change: number, text: string, rise: RiseMeaning): Change {
  // A change that rounds to zero has no direction.
  if (!/[1-9]/.test(text)) return { direction: 'none', text, tone: 'neutral' };
  const direction = change > 0 ? 'up' : 'down';
  if (rise === 'neutral') return { direction, text, tone: 'neutral' };
  return { direction, text, tone: direction === 'up' ? 'bad' : 'good' };
}
