/** Time ranges of the analytics views, which their links contain. */

import type { TimeBounds } from '#dashboard/api/analytics.ts';
import { dateFormat } from '#dashboard/components/values/locale.ts';
import type { Interval } from '#lambdas/accounts/analytics/responses.ts';
import { hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import { isTimeZone, startOfDate, zoneClock } from './zone.ts';

/** Either a preset, or bounds as in `TimeBounds`. */
export interface RangeSearch {
  range?: PresetName;
  start?: string;
  end?: string;
  /** IANA name; UTC if it is missing. */
  time_zone?: string;
}

export interface Range {
  /** Stays the same while the present moves on. */
  id: string;
  /** Such as "Last 30 days". */
  title: string;
  /** Null for a custom range. */
  preset: PresetName | null;
  bounds: TimeBounds;
  timeZone: string;
  /** The interval of charts unless another is chosen. */
  interval: Interval;
  /** The intervals that make a readable series. */
  intervals: readonly Interval[];
}

const presets = {
  '1h': { title: 'Last hour', hours: 1 },
  '24h': { title: 'Last 24 hours', hours: 24 },
  today: { title: 'Today', days: 1 },
  yesterday: { title: 'Yesterday', days: 1, until: 1 },
  '7d': { title: 'Last 7 days', days: 7 },
  week: { title: 'This week', weeks: 1 },
  'last-week': { title: 'Last week', weeks: 1, until: 1 },
  '30d': { title: 'Last 30 days', days: 30 },
  '90d': { title: 'Last 90 days', days: 90 },
  month: { title: 'This month', months: 1 },
  'last-month': { title: 'Last month', months: 1, until: 1 },
  '12m': { title: 'Last 12 months', months: 12 },
} as const satisfies Record<string, Preset>;

/** As many units back, up to the present, or up to the beginning of the present day, week or month with `until`. */
interface Preset {
  title: string;
  hours?: number;
  days?: number;
  /** They begin on Mondays. */
  weeks?: number;
  months?: number;
  until?: number;
}

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as PresetName[];

const defaultPreset: PresetName = '30d';

export const maxPreset = '12m' satisfies PresetName;

export function presetTitle(name: PresetName): string {
  return presets[name].title;
}

/** Ignores what is not valid. */
export function parseRangeSearch({ range, start, end, time_zone }: Record<string, unknown>): RangeSearch {
  const timeZone = isTimeZone(time_zone) ? time_zone : undefined;
  return { ...(parseBounds(start, end) ?? parsePreset(range)), time_zone: timeZone };
}

function parseBounds(start: unknown, end: unknown): Pick<RangeSearch, 'start' | 'end'> | null {
  if (!isTime(start)) return null;
  if (end === undefined) return { start };
  if (!isTime(end) || isDate(end) !== isDate(start)) return null;
  return Date.parse(start) < Date.parse(end) ? { start, end } : null;
}

function parsePreset(range: unknown): Pick<RangeSearch, 'range'> {
  return { range: isPresetName(range) ? range : undefined };
}

/** @param locale of the title; by default that of the browser */
export function resolveRange(search: RangeSearch, now: Date, locale?: Intl.LocalesArgument): Range {
  const timeZone = search.time_zone ?? 'UTC';
  const { start } = search;
  const preset = start === undefined ? (search.range ?? defaultPreset) : null;
  const bounds = preset === null ? { start, end: search.end } : presetBounds(presets[preset], now, timeZone);
  return {
    id: JSON.stringify([preset ?? bounds, timeZone]),
    title: preset === null ? customTitle(bounds, timeZone, locale) : presets[preset].title,
    preset,
    bounds: { ...bounds, time_zone: search.time_zone },
    timeZone,
    ...intervalsOf(spanHours(bounds, now, timeZone)),
  };
}

function presetBounds(
  { hours, days, weeks, months, until }: Preset,
  now: Date,
  timeZone: string,
): TimeBounds {
  if (hours !== undefined) {
    const unitMs = hours === 1 ? minuteMs : hourMs;
    return { start: new Date(Math.floor(now.getTime() / unitMs) * unitMs - hours * hourMs).toISOString() };
  }
  const today = localDate(now, timeZone);
  if (days !== undefined) {
    if (until !== undefined) return { start: addDays(today, -days), end: today };
    return { start: addDays(today, 1 - days) };
  }
  if (weeks !== undefined) {
    const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7));
    if (until !== undefined) return { start: addDays(monday, -7 * weeks), end: monday };
    return { start: addDays(monday, 7 - 7 * weeks) };
  }
  const month = `${today.slice(0, 7)}-01`;
  const count = months ?? 1;
  if (until !== undefined) return { start: addMonths(month, -count), end: month };
  return { start: addMonths(month, 1 - count) };
}

/** Returns a date such as `2026-11-23`. */
export function localDate(time: Date, timeZone: string): string {
  return zoneClock(timeZone)(time).toISOString().slice(0, 10);
}

export function addDays(date: string, days: number): string {
  return shift(date, (time) => time.setUTCDate(time.getUTCDate() + days));
}

/** Expects the first day of a month. */
export function addMonths(date: string, months: number): string {
  return shift(date, (time) => time.setUTCMonth(time.getUTCMonth() + months));
}

function shift(date: string, change: (time: Date) => void): string {
  const time = new Date(`${date}T00:00:00Z`);
  change(time);
  return time.toISOString().slice(0, 10);
}

/** Returns the first moment of the range and the one after its last; the end is now if it is missing. */
export function rangeInstants(
  { start = '', end }: TimeBounds,
  now: Date,
  timeZone: string,
): { start: Date; end: Date } {
  const instant = (time: string) => (isDate(time) ? startOfDate(time, timeZone) : new Date(time));
  return { start: instant(start), end: end === undefined ? now : instant(end) };
}

function spanHours(bounds: TimeBounds, now: Date, timeZone: string): number {
  const { start, end } = rangeInstants(bounds, now, timeZone);
  return (end.getTime() - start.getTime()) / hourMs;
}

const dayHours = 24;

function intervalsOf(hours: number): Pick<Range, 'interval' | 'intervals'> {
  if (hours <= 3) return { interval: 'minute', intervals: ['minute', 'hour'] };
  if (hours <= 3 * dayHours) {
    return { interval: 'hour', intervals: hours <= 16 ? ['minute', 'hour'] : ['hour', 'day'] };
  }
  if (hours <= 41 * dayHours) return { interval: 'day', intervals: ['hour', 'day', 'month'] };
  if (hours <= 100 * dayHours) return { interval: 'day', intervals: ['day', 'month'] };
  return { interval: 'month', intervals: hours <= 900 * dayHours ? ['day', 'month'] : ['month'] };
}

/** Whole days without their times, whose last one is the day before the exclusive end. */
function customTitle(bounds: TimeBounds, timeZone: string, locale: Intl.LocalesArgument): string {
  const start = dateOf(bounds.start, timeZone);
  const end = dateOf(bounds.end, timeZone);
  const isDays = start !== null && (bounds.end === undefined || end !== null);
  const format = dateFormat(
    {
      dateStyle: 'medium',
      timeStyle: isDays ? undefined : 'short',
      timeZone: isDays ? 'UTC' : timeZone,
    },
    locale,
  );
  const first = new Date(isDays ? start : (bounds.start ?? ''));
  if (bounds.end === undefined) return `Since ${format.format(first)}`;
  return format.formatRange(first, new Date(isDays ? addDays(end ?? '', -1) : bounds.end));
}

/** Null for a time within a day. */
function dateOf(time: string | undefined, timeZone: string): string | null {
  if (time === undefined || isDate(time)) return time ?? null;
  const date = localDate(new Date(time), timeZone);
  return startOfDate(date, timeZone).getTime() === Date.parse(time) ? date : null;
}

function isPresetName(value: unknown): value is PresetName {
  return typeof value === 'string' && Object.hasOwn(presets, value);
}

/** Whether it is a date that exists, such as `2026-11-23`. */
function isDate(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && isExistingDate(value);
}

/** `Date.parse` accepts 30 February as 2 March. */
function isExistingDate(date: string): boolean {
  const time = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date);
}

const timestampPattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function isTime(value: unknown): value is string {
  if (isDate(value)) return true;
  const date = typeof value === 'string' ? timestampPattern.exec(value)?.[1] : undefined;
  return isDate(date) && !Number.isNaN(Date.parse(String(value)));
}
