/** Computes the expected window of a response: the requested one, rounded where entries of a partial period have expired. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type CostParameters, createdMs, type ExpectedWindow, isCounted } from './expected-costs.ts';

export interface ExpiryScenario {
  entries: LogEntry[];
  expired: Set<LogEntry>;
  now: Date;
}

export function expectedWindow(scenario: ExpiryScenario, parameters: CostParameters): ExpectedWindow {
  const { start, end } = parameters;
  if (start !== null && start === end) return { start, end, roundedTo: null };
  const period = ['prompt_id', 'session_id', 'user_id', 'api_key'].includes(String(parameters.group_by))
    ? ({ name: 'hour', ms: 3_600_000 } as const)
    : ({ name: 'minute', ms: 60_000 } as const);
  const round = (bound: number | null) => (bound === null ? null : roundBound(scenario, bound, period.ms));
  const rounded = { start: round(start), end: round(end) };
  const isRounded = rounded.start !== start || rounded.end !== end;
  return { ...rounded, roundedTo: isRounded ? period.name : null };
}

function roundBound({ entries, expired, now }: ExpiryScenario, bound: number, ms: number): number {
  const from = bound - (bound % ms);
  const isRecent = from + ms + 3_600_000 > now.getTime();
  const isComplete = !entries.some((entry) => {
    const time = createdMs(entry);
    return time >= from && time < from + ms && isCounted(entry) && expired.has(entry);
  });
  return isRecent || isComplete ? bound : from;
}
