/** Formats counts, shares and durations in a locale (the browser's by default). */

type Locale = Intl.LocalesArgument;

/** Returns such as "1,234,567". */
export function formatCount(count: number, locale?: Locale): string {
  return new Intl.NumberFormat(locale).format(count);
}

/** Returns such as "1.23M": three significant digits. */
export function formatCompact(count: number, locale?: Locale): string {
  const format = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 });
  // British English writes "1.23m", which reads like a thousandth.
  return format.format(count).replace(/(?<=\d)m$/, 'M');
}

/** Returns such as "12.3%" for 0.123. */
export function formatShare(share: number, locale?: Locale): string {
  const digits = share !== 0 && Math.abs(share) < 0.01 ? 2 : 1;
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits }).format(share);
}

/** Returns such as "12.3%" for 0.123, without decimals from 100 % on, and ">999%" above. */
export function formatChange(change: number, locale?: Locale): string {
  const digits = change < 1 ? 1 : 0;
  const format = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits });
  return change > 9.99 ? `>${format.format(9.99)}` : format.format(change);
}

/** Returns such as "0.4 pt" for a difference of 0.004 between two shares: percentage points. */
export function formatPoints(difference: number, locale?: Locale): string {
  const digits = Math.abs(difference) < 0.01 ? 2 : 1;
  return `${decimal(difference * 100, digits, locale)} pt`;
}

/** Returns such as "845 ms", "1.32 s", "2 min 5 s" or "1 h 2 min". */
export function formatDuration(durationMs: number, locale?: Locale): string {
  if (durationMs < 999.5) return `${decimal(durationMs, durationMs < 10 ? 1 : 0, locale)} ms`;
  if (durationMs < 99_950) return `${decimal(durationMs / 1000, durationMs < 9995 ? 2 : 1, locale)} s`;
  const seconds = Math.round(durationMs / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function decimal(value: number, digits: number, locale: Locale): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value);
}
