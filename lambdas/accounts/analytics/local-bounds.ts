/**
 * The bounds of a query and of the range to compare with may be dates of its time zone, such as `2026-11-23`, which mean the first
 * instant of that day.
 */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { createCalendar } from '#lambdas/reports/costs/calendar.ts';

const datePattern = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Returns the parameters with timestamps instead of dates; everything else is left as it is. Throws a `GatewayError` (400)
 * that names the parameter.
 */
export function resolveLocalDates(parameters: RawQueryParameters): RawQueryParameters {
  // An empty or repeated time zone is refused by what parses the parameters.
  const [timeZone = 'UTC'] = parameters.time_zone ?? [];
  const { startOfDate } = createCalendar(timeZone);
  const resolve = (name: 'start' | 'end' | 'compare_start' | 'compare_end') => {
    const values = parameters[name];
    return (
      values && {
        [name]: values.map((value) =>
          datePattern.test(value) ? new Date(startOfDate(parseDate(name, value))).toISOString() : value,
        ),
      }
    );
  };
  return {
    ...parameters,
    ...resolve('start'),
    ...resolve('end'),
    ...resolve('compare_start'),
    ...resolve('compare_end'),
  };
}

/** The date's midnight in UTC. */
function parseDate(name: string, text: string): number {
  const dateMs = Date.parse(`${text}T00:00:00Z`);
  // Date.parse accepts 30 February as 2 March.
  if (!Number.isNaN(dateMs) && new Date(dateMs).toISOString().startsWith(text)) return dateMs;
  throw invalidRequestError(
    name,
    `${name} must be a date that exists, such as 2026-11-23, or an RFC 3339 timestamp`,
  );
}
