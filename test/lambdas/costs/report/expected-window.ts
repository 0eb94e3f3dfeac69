/** The window that an answer has to be about: the one that was asked for, or where entries at a bound are gone, less. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type AskedCosts, isCounted, type SummedWindow, timeOf } from './summed-costs.ts';

export interface ExpiredEntries {
  entries: LogEntry[];
  expired: Set<LogEntry>;
  now: Date;
}

export function expectedWindow(world: ExpiredEntries, asked: AskedCosts): SummedWindow {
  const { start, end } = asked;
  if (start !== null && start === end) return { start, end, roundedTo: null };
  const period = ['prompt_id', 'session_id', 'user_id', 'api_key'].includes(String(asked.group_by))
    ? ({ name: 'hour', ms: 3_600_000 } as const)
    : ({ name: 'minute', ms: 60_000 } as const);
  const round = (bound: number | null) => (bound === null ? null : roundBound(world, bound, period.ms));
  const rounded = { start: round(start), end: round(end) };
  const isRounded = rounded.start !== start || rounded.end !== end;
  return { ...rounded, roundedTo: isRounded ? period.name : null };
}

function roundBound({ entries, expired, now }: ExpiredEntries, bound: number, ms: number): number {
  const from = bound - (bound % ms);
  const isRecent = from + ms + 3_600_000 > now.getTime();
  const isWhole = !entries.some((entry) => {
    const time = timeOf(entry);
    return time >= from && time < from + ms && isCounted(entry) && expired.has(entry);
  });
  return isRecent || isWhole ? bound : from;
}
