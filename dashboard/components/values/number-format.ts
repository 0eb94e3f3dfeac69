/** Formats counts, shares and durations in a locale (the browser's by default). */

import { hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import { type Locale, numberFormat } from './locale.ts';

/** Returns text such as "1,234,567". */
export function formatCount(count: number, locale?: Locale): string {
  return numberFormat({}, locale).format(count);
}

/** Returns text such as "1.23M": three significant digits. */
export function formatCompact(count: number, locale?: Locale): string {
  const { figure, suffix } = compactParts(count);
  return numberFormat({ maximumSignificantDigits: 3 }, locale).format(figure) + suffix;
}

/** The figure in front of the English letter: 1.23 and "M" for 1,234,567. */
function compactParts(value: number): { figure: number; suffix: string } {
  const parts = new Intl.NumberFormat('en', {
    notation: 'compact',
    maximumSignificantDigits: 3,
    useGrouping: false,
  }).formatToParts(value);
  const suffix = parts.find(({ type }) => type === 'compact')?.value ?? '';
  const figure = parts.flatMap(({ type, value: text }) => (type === 'compact' ? [] : [text])).join('');
  return { figure: Number(figure), suffix };
}

/** Returns text such as "$12.5K" for an amount on an axis: without the decimals that are zero. */
export function formatCompactUsd(value: number, locale?: Locale): string {
  const { figure, suffix } = compactParts(value);
  const format = numberFormat(
    {
      style: 'currency',
      currency: 'USD',
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: 0,
      maximumSignificantDigits: 3,
    },
    locale,
  );
  const parts = format.formatToParts(figure);
  const last = parts.findLastIndex(({ type }) => type === 'integer' || type === 'fraction');
  return parts.map(({ value: text }, index) => (index === last ? text + suffix : text)).join('');
}

const minShare = 0.0001;

/** Returns text such as "12.3%" for 0.123, and "2.0%", so that the figures of a column line up, down to "<0.01%". */
export function formatShare(share: number, locale?: Locale): string {
  if (share > 0 && share < minShare) return `<${formatRoundShare(minShare, locale)}`;
  if (share === 0 || share === 1) return formatRoundShare(share, locale);
  const digits = Math.abs(share) < 0.01 ? 2 : 1;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return numberFormat({ style: 'percent', ...options }, locale).format(share);
}

/** Returns text such as "106%" for 106, as the API states the parts of budgets. */
export function formatPercent(percent: number, locale?: Locale): string {
  return numberFormat({ style: 'percent', maximumFractionDigits: 0 }, locale).format(percent / 100);
}

/** Returns text such as "1 request" and "1,234 requests". */
export function formatRequests(count: number, locale?: Locale): string {
  return `${formatCount(count, locale)} ${count === 1 ? 'request' : 'requests'}`;
}

/** Returns text such as "12.3%" and "2%". */
export function formatRoundShare(share: number, locale?: Locale): string {
  const digits = Math.abs(share) < 0.01 ? 2 : 1;
  return numberFormat({ style: 'percent', maximumFractionDigits: digits }, locale).format(share);
}

/** Returns text such as "12.3%" for 0.123, without decimals from 100 % on; above 999 %, the factor, such as "12 ×" for 11. */
export function formatChange(change: number, locale?: Locale): string {
  if (change > 9.99) return `${formatCompact(Math.round(change + 1), locale)} ×`;
  const digits = change < 1 ? 1 : 0;
  return numberFormat({ style: 'percent', maximumFractionDigits: digits }, locale).format(change);
}

/** Returns text such as "0.4 pt" for a difference of 0.004 between two shares: percentage points. */
export function formatPoints(difference: number, locale?: Locale): string {
  const digits = Math.abs(difference) < 0.01 ? 2 : 1;
  return `${decimal(difference * 100, digits, locale)} pt`;
}

/** Returns text such as "845 ms", "1.32 s", "2 min 5 s" or "1 h 2 min". */
export function formatDuration(durationMs: number, locale?: Locale): string {
  if (durationMs < 9.95) return `${decimal(durationMs, 1, locale, durationMs === 0 ? 0 : 1)} ms`;
  if (durationMs < 999.5) return `${decimal(durationMs, 0, locale)} ms`;
  if (durationMs < 9995) return `${decimal(durationMs / 1000, 2, locale, 2)} s`;
  if (durationMs < 59_950) return `${decimal(durationMs / 1000, 1, locale, 1)} s`;
  return formatLongDuration(durationMs);
}

/** Returns text such as "7 ms", and "0.007 s" beside a whole that takes seconds: a duration and its parts have one unit. */
export function formatDurationLike(durationMs: number, wholeMs: number, locale?: Locale): string {
  return wholeMs < 999.5
    ? `${decimal(durationMs, 1, locale)} ms`
    : `${decimal(durationMs / 1000, 3, locale, 3)} s`;
}

/** Returns text such as "0.89 s" in a column up to `maxMs`, whose figures all are in milliseconds or all in seconds. */
export function formatColumnDuration(durationMs: number, maxMs: number, locale?: Locale): string {
  if (maxMs < 999.5) return formatDuration(durationMs, locale);
  const digits = maxMs < 100_000 ? 2 : 1;
  return `${decimal(durationMs / 1000, digits, locale, digits)} s`;
}

/** Returns text such as "90 s" on an axis up to `maxMs`, whose steps all are in one unit. */
export function formatAxisDuration(durationMs: number, maxMs: number, locale?: Locale): string {
  const units = [
    ['ms', 1, 1000 - 1],
    ['s', 1000, 5 * minuteMs],
    ['min', minuteMs, 5 * hourMs],
  ] as const;
  const [unit, unitMs] = units.find(([, , max]) => maxMs <= max) ?? ['h', hourMs];
  return `${decimal(durationMs / unitMs, 2, locale)} ${unit}`;
}

/** Returns text such as "500 ms", "1.5 s" or "2 min": without decimals that are zero. */
export function formatRoundDuration(durationMs: number, locale?: Locale): string {
  if (durationMs < 1000) return `${decimal(durationMs, 1, locale)} ms`;
  if (durationMs < minuteMs) return `${decimal(durationMs / 1000, 2, locale)} s`;
  return formatLongDuration(durationMs);
}

function formatLongDuration(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withoutZero(`${minutes} min`, `${seconds % 60} s`);
  return withoutZero(`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`);
}

function withoutZero(larger: string, smaller: string): string {
  return smaller.startsWith('0 ') ? larger : `${larger} ${smaller}`;
}

function decimal(value: number, maxDigits: number, locale: Locale, minDigits = 0): string {
  const options = { minimumFractionDigits: minDigits, maximumFractionDigits: maxDigits };
  return numberFormat(options, locale).format(value);
}
