import { describe, expect, it } from 'vitest';
import { CustomRange } from '#dashboard/range/picker/custom-range.tsx';
import { boundsOf, momentsOf, momentsOfDays } from '#dashboard/range/picker/moments.ts';
import { parseRangeSearch, resolveRange } from '#dashboard/range/range.ts';
import { all, only, renderComponent, texts } from '#test/dashboard/rendering/markup.ts';

const now = new Date('2026-11-23T12:34:56.789Z');

describe('The beginning and the end of a range', () => {
  it('are shown in its zone, up to the present minute', () => {
    const range = resolveRange({ range: '1h', time_zone: 'Asia/Kolkata' }, now);
    expect(momentsOf(range, now)).toEqual({ from: '2026-11-23T17:04', to: '2026-11-23T18:05' });
  });

  it('are whole days when days are chosen', () => {
    const moments = momentsOfDays({ first: '2026-11-20', last: '2026-11-22' });
    expect(moments).toEqual({ from: '2026-11-20T00:00', to: '2026-11-23T00:00' });
    expect(boundsOf(moments, 'Europe/Berlin')).toEqual({ start: '2026-11-20', end: '2026-11-23' });
  });

  it.each([
    ['UTC', '2026-11-22T14:00:00.000Z', '2026-11-22T15:00:00.000Z'],
    ['America/New_York', '2026-11-22T19:00:00.000Z', '2026-11-22T20:00:00.000Z'],
  ])('can be an hour of yesterday in %s', (timeZone, start, end) => {
    const bounds = boundsOf({ from: '2026-11-22T14:00', to: '2026-11-22T15:00' }, timeZone);
    expect(bounds).toEqual({ start, end });
    expect(parseRangeSearch({ ...bounds })).toMatchObject({ start, end });
  });

  it.each([
    ['', '2026-11-22T15:00'],
    ['2026-11-22T14:00', ''],
    ['2026-11-22T14:00', '2026-11-22T14:00'],
    ['2026-11-22T14:00', '2026-11-21T15:00'],
  ])('are no range from %j to %j', (from, to) => {
    expect(boundsOf({ from, to }, 'UTC')).toBe(null);
  });
});

describe('The fields of a range', () => {
  it('have its times, below a line that names the zone', () => {
    const range = resolveRange(
      { start: '2026-11-22T14:00:00Z', end: '2026-11-22T15:30:00Z', time_zone: 'Europe/Berlin' },
      now,
    );
    const fields = renderComponent(CustomRange, { range, onApply: () => {} });

    expect(texts(fields, 'p')[0]).toBe('Days and times in Europe/Berlin');
    expect(texts(fields, 'label')).toEqual(['From', 'To']);
    expect(all(fields, 'input').map(({ attributes }) => attributes.value)).toEqual([
      '2026-11-22T15:00',
      '2026-11-22T16:30',
    ]);
  });

  it('can be applied as they are only where they are a suggestion', () => {
    const range = resolveRange({ start: '2026-11-20', end: '2026-11-22' }, now);
    const applying = (isSuggestion: boolean) => {
      const fields = renderComponent(CustomRange, { range, isSuggestion, onApply: () => {} });
      const status = texts(fields, 'p').at(-1);
      return ['disabled' in only(fields, '[type=submit]').attributes, status];
    };
    expect(applying(false)).toEqual([true, 'Choose days, or type times']);
    expect(applying(true)).toEqual([false, range.title]);
  });
});
