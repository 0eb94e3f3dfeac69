import { createElement } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Time, TimeInZones } from '#dashboard/components/values/time.tsx';
import {
  formatDate,
  formatDateTime,
  formatFullTime,
  formatRelativeTime,
  secondsFormat,
} from '#dashboard/components/values/time-format.ts';
import { TimeZoneContext } from '#dashboard/components/values/time-zone.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import { only, render, renderComponent, textOf } from '#test/dashboard/rendering/markup.ts';

const time = new Date('2026-11-22T23:05:09Z');

describe('Times', () => {
  it('are shown in the locale and zone', () => {
    expect(formatDate(time, 'en-GB', 'Europe/Berlin')).toBe('23 Nov 2026');
    expect(formatDateTime(time, 'de-DE', 'Europe/Berlin')).toBe('23 Nov 2026, 00:05 CET');
  });

  it('are shown in full with the name of the zone', () => {
    expect(formatFullTime(time, 'en-GB', 'UTC')).toBe('22 Nov 2026, 23:05:09 UTC');
  });

  it('have one form of hours', () => {
    const plain = (text: string) => text.replaceAll('\u202f', ' ');
    expect(plain(formatDateTime(time, 'en-US', 'Asia/Tokyo'))).toBe('Nov 23, 2026, 8:05 AM GMT+9');
    expect(plain(formatFullTime(time, 'en-US', 'Asia/Tokyo'))).toBe('Nov 23, 2026, 8:05:09 AM GMT+9');
    expect(plain(secondsFormat('Asia/Tokyo', 'en-US').format(time))).toBe('Nov 23, 8:05:09 AM');
    expect(formatDateTime(time, 'en-GB', 'Asia/Tokyo')).toBe('23 Nov 2026, 08:05 GMT+9');
  });

  it('are shown to the second without the year', () => {
    expect(secondsFormat('Europe/Berlin', 'en-GB').format(time)).toBe('23 Nov, 00:05:09');
  });

  it.each([
    ['2026-11-23T23:05:08Z', '23 hours ago'],
    ['2026-11-23T23:05:09Z', 'yesterday'],
    ['2026-11-20T23:05:09Z', 'in 2 days'],
    ['2026-11-15T23:06:00Z', 'in 7 days'],
    ['2026-11-22T22:05:30Z', 'in 1 hour'],
    ['2026-11-22T23:05:50Z', 'now'],
    ['2026-11-22T23:04:10Z', 'now'],
    ['2026-11-22T23:06:09Z', '1 minute ago'],
    ['2026-11-23T00:05:08Z', '59 minutes ago'],
    ['2026-11-23T00:05:09Z', '1 hour ago'],
    ['2026-11-24T23:05:09Z', '2 days ago'],
    ['2026-11-22T11:05:10Z', 'in 12 hours'],
    ['2026-11-22T11:40:10Z', 'in 11 hours'],
  ])('are relative to %s as "%s"', (now, text) => {
    expect(formatRelativeTime(time, new Date(now))).toBe(text);
  });
});

describe('A time in the page', () => {
  afterEach(() => void vi.useRealTimers());

  const shown = (props: Partial<Parameters<typeof Time>[0]>) =>
    only(renderComponent(Time, { value: time.toISOString(), ...props }), 'time');

  it('has the format that it is given, and its value for other programs', () => {
    vi.useFakeTimers({ now: time.getTime() + 180_000, toFake: ['Date'] });
    const plain = (text: string) => text.replaceAll('\u202f', ' ');

    expect(textOf(shown({}))).toBe(plain(formatDateTime(time)));
    expect(textOf(shown({ format: 'date' }))).toBe(formatDate(time));
    expect(textOf(shown({ format: 'relative' }))).toBe(formatRelativeTime(time, new Date()));
    expect(shown({}).attributes.datetime).toBe('2026-11-22T23:05:09.000Z');
  });

  it('is in the zone of the view', () => {
    const node = createElement(
      TimeZoneContext,
      { value: 'Asia/Kolkata' },
      createElement(Time, { value: time.toISOString() }),
    );
    expect(textOf(only(render(node), 'time'))).toBe(
      formatDateTime(time, undefined, 'Asia/Kolkata').replaceAll('\u202f', ' '),
    );
  });

  it.each([
    ['Asia/Kolkata', 'Asia/KolkataNov 23, 2026, 4:35:09 AM GMT+5:30UTCNov 22, 2026, 11:05:09 PM UTC'],
    ['UTC', 'UTCNov 22, 2026, 11:05:09 PM UTC'],
  ])('names its zone in a tooltip, in %s', (timeZone, text) => {
    expect(textOf(renderComponent(TimeInZones, { time, timeZone }))).toBe(text);
  });

  it('can be reached by keyboard where that is of use', () => {
    expect([shown({}), shown({ focusable: true })].map(({ attributes }) => attributes.tabindex)).toEqual([
      undefined,
      '0',
    ]);
  });
});

describe('An amount in the page', () => {
  it('is rounded', () => {
    for (const amount of ['12.5', '0.123456'])
      expect(textOf(renderComponent(Usd, { amount }))).toBe(formatUsd(amount));
  });
});
