import { describe, expect, it } from 'vitest';
import { RangeChoices } from '#dashboard/range/picker/choices.tsx';
import { daysOf, momentsOf } from '#dashboard/range/picker/moments.ts';
import { parseRangeSearch, type RangeSearch, resolveRange } from '#dashboard/range/range.ts';
import { only, renderComponent, texts } from '#test/dashboard/rendering/markup.ts';

const now = new Date('2026-11-23T12:34:56.789Z');

/** For somebody in Berlin. */
function choicesOf(search: RangeSearch) {
  const range = resolveRange(parseRangeSearch({ ...search }), now);
  const ignore = () => {};
  return renderComponent(RangeChoices, {
    range,
    ownTimeZone: 'Europe/Berlin',
    onRangeChange: ignore,
    onTimeZoneChange: ignore,
  });
}

describe('The presets', () => {
  it('are all of them, of which the present one is pressed', () => {
    const presets = only(choicesOf({ range: 'last-week' }), '[aria-label=Presets]');

    expect(texts(presets, 'button')).toEqual([
      'Last hour',
      'Last 24 hours',
      'Today',
      'Yesterday',
      'Last 7 days',
      'This week',
      'Last week',
      'Last 30 days',
      'Last 90 days',
      'This month',
      'Last month',
      'Last 12 months',
    ]);
    expect(texts(presets, '[aria-pressed=true]')).toEqual(['Last week']);
  });

  it('are not pressed for a custom range', () => {
    const presets = only(choicesOf({ start: '2026-11-01' }), '[aria-label=Presets]');
    expect(texts(presets, '[aria-pressed=true]')).toEqual([]);
  });
});

describe('The time zone', () => {
  it.each([
    ['Europe/Berlin', 'Times in Europe/Berlin'],
    ['Asia/Tokyo', "Times in Asia/TokyoThis link's zone. Yours is Europe/Berlin."],
    ['Etc/UTC', "Times in UTCThis link's zone. Yours is Europe/Berlin."],
  ])('of the link is named, with the own one if that is another: %s', (time_zone, text) => {
    const choices = choicesOf({ time_zone });

    expect(texts(choices, 'p').filter((each) => each.startsWith('Times'))).toEqual([text]);
    expect(texts(choices, 'button')).toContain('Change time zone');
  });
});

describe('The days that the calendar shows of a range', () => {
  it.each<[RangeSearch, string, string]>([
    [{ range: 'today' }, '2026-11-23', '2026-11-23'],
    [{ range: 'yesterday' }, '2026-11-22', '2026-11-22'],
    [{ range: '7d' }, '2026-11-17', '2026-11-23'],
    [{ range: '24h' }, '2026-11-22', '2026-11-23'],
    [{ range: 'last-month' }, '2026-10-01', '2026-10-31'],
    [{ range: 'today', time_zone: 'Pacific/Auckland' }, '2026-11-24', '2026-11-24'],
    [{ start: '2026-11-01', end: '2026-11-03' }, '2026-11-01', '2026-11-02'],
    // The first moment after a range is no part of it.
    [{ start: '2026-11-01T10:00:00Z', end: '2026-11-02T00:00:00Z' }, '2026-11-01', '2026-11-01'],
    [{ start: '2026-11-01T10:00:00Z', end: '2026-11-02T00:00:01Z' }, '2026-11-01', '2026-11-02'],
    [
      { start: '2026-11-01T23:30:00Z', end: '2026-11-02T00:00:00Z', time_zone: 'Europe/Berlin' },
      '2026-11-02',
      '2026-11-02',
    ],
  ])('%j are %s to %s', (search, first, last) => {
    expect(daysOf(momentsOf(resolveRange(parseRangeSearch({ ...search }), now), now))).toEqual({
      first,
      last,
    });
  });
});
