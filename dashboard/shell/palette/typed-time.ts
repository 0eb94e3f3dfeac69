/** Reads a day, or a time of a day, as people type it: in English, and as `2026-11-26 10:00`. */

interface TypedTime {
  /** Such as `2026-11-26`. */
  date: string;
  /** Such as `09:05`; null for the whole day. */
  clock: string | null;
}

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/**
 * A day without a year is the last one that has come. A time alone is of today.
 *
 * @param today such as `2026-11-30`
 */
export function parseTypedTime(text: string, today: string): TypedTime | null {
  const typed = text.toLowerCase().replace(/(\d)t(\d)/, '$1 $2');
  const words = typed.split(/[\s,]+/).filter((word) => word !== '' && word !== 'at');
  const clockAt = words.findIndex((word) => word.includes(':'));
  if (clockAt === -1) return ofDate(parseDate(words, today), null);
  const [first = '', suffix = ''] = words.slice(clockAt);
  const hasSuffix = isHalf(suffix);
  const clock = parseClock(hasSuffix ? first + suffix : first);
  words.splice(clockAt, hasSuffix ? 2 : 1);
  return clock === null ? null : ofDate(words.length === 0 ? today : parseDate(words, today), clock);
}

function ofDate(date: string | null, clock: string | null): TypedTime | null {
  return date === null ? null : { date, clock };
}

function isHalf(word: string): boolean {
  return word === 'am' || word === 'pm';
}

/** Returns a clock of 24 hours. */
function parseClock(text: string): string | null {
  const [, hour = '', minute = '', half] = /^(\d{1,2}):(\d\d)(?::\d\d)?(am|pm)?$/.exec(text) ?? [];
  const shown = Number(hour);
  if (hour === '' || Number(minute) > 59) return null;
  if (half === undefined) return shown > 23 ? null : `${hour.padStart(2, '0')}:${minute}`;
  if (shown < 1 || shown > 12) return null;
  return `${String((shown % 12) + (half === 'pm' ? 12 : 0)).padStart(2, '0')}:${minute}`;
}

function parseDate(words: readonly string[], today: string): string | null {
  const [word = '', ...others] = words;
  if (others.length > 0) return parseNamedMonth(words, today);
  if (word === 'today') return today;
  if (word === 'yesterday') return dayBefore(today);
  return /^\d{4}-\d\d-\d\d$/.test(word) ? existing(word) : null;
}

/** Such as "Nov 26", "26 November" and "Nov 26th 2026". */
function parseNamedMonth(words: readonly string[], today: string): string | null {
  const [first = '', second = '', year, ...others] = words;
  if (others.length > 0) return null;
  const month = monthOf(first) ?? monthOf(second);
  const [, day] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(monthOf(first) === null ? first : second) ?? [];
  if (month === null || day === undefined) return null;
  const monthAndDay = `${month}-${day.padStart(2, '0')}`;
  if (year !== undefined) return existing(/^\d{4}$/.test(year) ? `${year}-${monthAndDay}` : '');
  const thisYear = Number(today.slice(0, 4));
  return existing(`${monthAndDay > today.slice(5) ? thisYear - 1 : thisYear}-${monthAndDay}`);
}

/** Returns two digits for the name of a month, or for its first letters. */
function monthOf(word: string): string | null {
  if (word.length < 3) return null;
  const index = monthNames.findIndex((name) => name.startsWith(word));
  return index === -1 ? null : String(index + 1).padStart(2, '0');
}

function dayBefore(date: string): string {
  const day = new Date(date);
  day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}

/** Some programs read 30 February as 2 March. */
function existing(date: string): string | null {
  const time = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date) ? date : null;
}
