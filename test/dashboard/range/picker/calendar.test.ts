import { afterEach, describe, expect, it, vi } from 'vitest';
import { Calendar, calendarDay, dateOfDay } from '#dashboard/range/picker/calendar.tsx';
import { addDays } from '#dashboard/range/range.ts';
import {
  all,
  names,
  only,
  type RenderedElement,
  renderComponent,
  texts,
} from '#test/dashboard/rendering/markup.ts';
import { fc } from '#test/support/fast-check.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const date = fc.nat(80_000).map((days) => addDays('1900-01-01', days));

describe('A day of the calendar', () => {
  it.each(['UTC', 'America/Santiago', 'Pacific/Apia', 'Asia/Tokyo'])(
    'is the same date in a browser whose zone is %s',
    (timeZone) => {
      vi.stubEnv('TZ', timeZone);
      fc.assert(
        fc.property(date, (text) => {
          expect(dateOfDay(calendarDay(text))).toBe(text);
        }),
      );
    },
  );

  it('is that of the browser’s own calendar', () => {
    vi.stubEnv('TZ', 'America/New_York');
    const day = calendarDay('2026-03-01');
    expect([day.getFullYear(), day.getMonth(), day.getDate(), day.getHours()]).toEqual([2026, 2, 1, 0]);
    expect(dateOfDay(new Date(2026, 0, 9, 23, 59))).toBe('2026-01-09');
  });
});

function calendarOf(first: string, last: string | null, today: string): RenderedElement {
  return renderComponent(Calendar, { selected: { first, last }, today, onSelect: () => {} });
}

/** Weeks begin in the first column. */
function firstWeekdayOf(calendar: RenderedElement): string {
  const [, week] = all(only(calendar, 'tbody'), 'tr');
  const date = (week && all(week, 'td')[0]?.attributes['data-day']) ?? '';
  return new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(new Date(date));
}

const title = (day: number) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'full' }).format(new Date(2026, 10, day));

describe('The calendar', () => {
  it('shows the month of the last chosen day', () => {
    const month = (days: [string, string | null]) => names(calendarOf(...days, '2026-12-24'), '[role=grid]');
    const name = (index: number) =>
      new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' }).format(new Date(2026, index));

    expect(month(['2026-09-30', '2026-11-02'])).toEqual([name(10)]);
    expect(month(['2026-09-30', null])).toEqual([name(8)]);
  });

  it('names the days with what they are', () => {
    const days = names(only(calendarOf('2026-11-20', '2026-11-22', '2026-11-22'), '[role=grid]'), 'button');

    expect(days[18]).toBe(title(19));
    expect(days.slice(19, 21)).toEqual([`${title(20)}, selected`, `${title(21)}, selected`]);
    expect(days[21]).toBe(`Today, ${title(22)}, selected`);
    expect(days[22]).toBe(title(23));
    expect(days).toHaveLength(30);
  });

  it('keeps the dark ground of its first and last day under the pointer, which their figures need', () => {
    const month = only(calendarOf('2026-11-20', '2026-11-22', '2026-11-22'), '[role=grid]');
    const classes = all(month, 'button')[0]?.attributes.class?.split(' ') ?? [];
    expect(classes.filter((each) => each.includes('enabled:hover:'))).toEqual([
      'enabled:hover:bg-hover',
      'group-[.first-day]:enabled:hover:bg-primary-hover',
      'group-[.last-day]:enabled:hover:bg-primary-hover',
    ]);
  });

  it('does not offer days or months after today', () => {
    const calendar = calendarOf('2026-11-20', '2026-11-20', '2026-11-22');
    const disabled = all(calendar, 'button').filter(({ attributes }) => 'disabled' in attributes);

    expect(names(calendar, '[aria-disabled=true]')).toEqual(['Next month']);
    expect(disabled.map(({ attributes }) => attributes['aria-label'])).toEqual(
      [23, 24, 25, 26, 27, 28, 29, 30].map(title),
    );
  });

  it.each(['en-US', 'ar-EG'])('begins its weeks on Monday, like the ranges, also in %s', (language) => {
    vi.stubGlobal('navigator', { language });
    expect(firstWeekdayOf(calendarOf('2026-11-20', null, '2026-11-22'))).toBe('Monday');
  });

  it('has seven weekdays, named in full for screen readers', () => {
    const heads = all(calendarOf('2026-11-20', null, '2026-11-22'), 'th');
    expect(new Set(heads.map(({ attributes }) => attributes['aria-label'])).size).toBe(7);
    expect(texts(calendarOf('2026-11-20', null, '2026-11-22'), 'th')).toHaveLength(7);
  });
});
