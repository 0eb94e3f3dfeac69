import { describe, expect, it } from 'vitest';
import { timeDestinations } from '#dashboard/shell/palette/time-destinations.ts';
import { parseTypedTime } from '#dashboard/shell/palette/typed-time.ts';

describe('A typed time', () => {
  it.each([
    ['2026-11-26', '2026-11-26', null],
    ['2026-11-26 10:00', '2026-11-26', '10:00'],
    ['2026-11-26T09:05:30', '2026-11-26', '09:05'],
    ['Nov 26', '2026-11-26', null],
    ['november 26th', '2026-11-26', null],
    ['Nov 26 10:00', '2026-11-26', '10:00'],
    ['26 Nov 10:00', '2026-11-26', '10:00'],
    ['26 Nov 2025, 9:05', '2025-11-26', '09:05'],
    ['Nov 26, 2026, 1:13 PM', '2026-11-26', '13:13'],
    ['12:30am', '2026-11-30', '00:30'],
    ['10:00', '2026-11-30', '10:00'],
    ['today', '2026-11-30', null],
    ['yesterday at 23:59', '2026-11-29', '23:59'],
    ['Dec 1', '2025-12-01', null],
    ['30 Nov', '2026-11-30', null],
  ])('"%s" is %s %s', (text, date, clock) => {
    expect(parseTypedTime(text, '2026-11-30')).toEqual({ date, clock });
  });

  it.each([
    '',
    '26',
    'Nov',
    'no 26',
    'Feb 30',
    '2026-02-30',
    '2026-13-01',
    '24:00',
    '10:60',
    '13:00 pm',
    '10:00:',
    'demo:10:00',
    'today 26',
    'Nov 26 26',
    'Nov 26 2026 logs',
    'openai/gpt-6:2026-11-26',
  ])('is not "%s"', (text) => {
    expect(parseTypedTime(text, '2026-11-30')).toBeNull();
  });
});

describe('A time in the search of the page', () => {
  const present = { now: new Date('2026-11-30T23:30:00Z'), timeZone: 'Europe/Berlin', locale: 'en-GB' };
  const found = (text: string) =>
    timeDestinations('org_1', text, present).map(({ title, detail, link }) => [
      title,
      detail,
      link && 'search' in link ? link.search : null,
    ]);

  it('leads to the logs of its day in the zone of the person', () => {
    expect(found('today')).toEqual([
      [
        'Logs of Tuesday, 1 December 2026',
        'Europe/Berlin',
        { start: '2026-12-01', end: '2026-12-02', time_zone: 'Europe/Berlin' },
      ],
    ]);
  });

  it('leads to the logs of the hour that begins with it', () => {
    expect(found('26 Nov 10:15')).toEqual([
      [
        'Logs of 26 Nov 2026, 10:15–11:15',
        'Europe/Berlin',
        {
          start: '2026-11-26T09:15:00.000Z',
          end: '2026-11-26T10:15:00.000Z',
          time_zone: 'Europe/Berlin',
        },
      ],
    ]);
    expect(found('nothing')).toEqual([]);
  });
});
