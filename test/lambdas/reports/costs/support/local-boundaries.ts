/** Local days and months from the local dates of single instants, to compare with; and the times at which they are unusual. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const clockChanges = [
  // Offsets that are not whole hours.
  { timeZone: 'Asia/Kolkata', time: '2026-01-31T18:30:00Z' },
  { timeZone: 'Asia/Kathmandu', time: '1985-12-31T18:30:00Z' },
  { timeZone: 'America/St_Johns', time: '2026-03-08T05:30:00Z' },
  { timeZone: 'America/St_Johns', time: '2026-11-01T04:30:00Z' },
  { timeZone: 'Australia/Lord_Howe', time: '2026-04-04T15:00:00Z' },
  { timeZone: 'Australia/Lord_Howe', time: '2026-10-03T15:30:00Z' },
  { timeZone: 'Pacific/Chatham', time: '2026-04-04T14:00:00Z' },
  { timeZone: 'Pacific/Chatham', time: '2026-09-26T14:00:00Z' },
  { timeZone: 'Africa/Monrovia', time: '1972-01-07T00:44:30Z' },
  // At night.
  { timeZone: 'Europe/Berlin', time: '2026-03-29T01:00:00Z' },
  { timeZone: 'Europe/Berlin', time: '2026-10-25T01:00:00Z' },
  { timeZone: 'Europe/London', time: '2026-03-29T01:00:00Z' },
  { timeZone: 'Europe/London', time: '2026-10-25T01:00:00Z' },
  { timeZone: 'America/New_York', time: '2026-11-01T06:00:00Z' },
  // At midnight.
  { timeZone: 'America/Santiago', time: '2026-04-05T03:00:00Z' },
  { timeZone: 'America/Santiago', time: '2026-09-06T04:00:00Z' },
  { timeZone: 'America/Havana', time: '2026-03-08T05:00:00Z' },
  { timeZone: 'America/Havana', time: '2026-11-01T05:00:00Z' },
  { timeZone: 'Africa/Cairo', time: '2026-04-23T22:00:00Z' },
  { timeZone: 'Africa/Cairo', time: '2026-10-29T21:00:00Z' },
  { timeZone: 'Asia/Beirut', time: '2026-03-28T22:00:00Z' },
  { timeZone: 'Asia/Beirut', time: '2026-10-24T21:00:00Z' },
  // One minute after midnight.
  { timeZone: 'America/St_Johns', time: '2000-10-29T02:31:00Z' },
  { timeZone: 'America/St_Johns', time: '2009-11-01T02:31:00Z' },
  // Skipped dates.
  { timeZone: 'Pacific/Apia', time: '2011-12-30T10:00:00Z' },
  { timeZone: 'Pacific/Kiritimati', time: '1994-12-31T10:00:00Z' },
  { timeZone: 'Pacific/Kwajalein', time: '1993-08-21T12:00:00Z' },
  { timeZone: 'UTC', time: '2026-03-01T00:00:00Z' },
] as const;

const formats = new Map<string, Intl.DateTimeFormat>();
const known = new Map<string, number>();

/** The first minute with an instant of that local date or a later one. The date is the UTC midnight of the same date. */
export function localBoundary(timeZone: string, dateMs: number): number {
  const key = `${timeZone} ${dateMs}`;
  const boundaryMs = known.get(key) ?? findLocalBoundary(timeZone, dateMs);
  known.set(key, boundaryMs);
  return boundaryMs;
}

/**
 * Offsets from UTC are between -12 and 14 hours. Searches by the hour first. A clock that is set back shortly after midnight
 * shows the new date for some minutes, and then the old one again: the first minute can be up to three hours earlier.
 */
function findLocalBoundary(timeZone: string, dateMs: number): number {
  const hasDate = (timestampMs: number) => localDate(timeZone, timestampMs) >= dateMs;
  const findMs = (fromMs: number, stepMs: number) => {
    for (let startMs = fromMs; startMs <= dateMs + 12 * hourMs; startMs += stepMs) {
      if (hasDate(startMs + minuteMs - 1)) return startMs;
    }
    throw new Error(`${timeZone} has no date ${dateMs}`);
  };
  const hourWithDateMs = findMs(dateMs - 14 * hourMs, hourMs);
  return findMs(hourWithDateMs - 3 * hourMs, minuteMs);
}

function localDate(timeZone: string, timestampMs: number): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(timeZone, format);
  return Date.parse(format.format(timestampMs));
}
