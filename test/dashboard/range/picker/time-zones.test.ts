import { describe, expect, it } from 'vitest';
import { zoneOptions } from '#dashboard/range/picker/time-zones.ts';

const now = new Date('2026-11-23T12:00:00Z');
const labels = (text: string) => zoneOptions(text, 'Europe/Berlin', now).map(({ label }) => label);

describe('The time zones to choose from', () => {
  it('begin with that of the browser, which follows it, and UTC', () => {
    const [first, second, ...others] = zoneOptions('', 'Europe/Berlin', now);
    expect(first).toEqual({ value: null, label: "This browser's: Europe/Berlin", offset: 'GMT+1' });
    expect(second).toEqual({ value: 'UTC', label: 'UTC', offset: 'GMT+0' });
    expect(others.length).toBeGreaterThan(300);
    expect(others).toContainEqual({
      value: 'Asia/Kathmandu',
      label: 'Asia/Kathmandu',
      offset: 'GMT+5:45',
    });
  });

  it.each([
    ['new york', ['America/New York']],
    ['berlin', ['Europe/Berlin']],
    ['kolkata', ['Asia/Kolkata']],
    ['kyiv', ['Europe/Kyiv']],
    ['st_johns', ['America/St Johns']],
    ['EST5EDT', ['EST5EDT']],
    ['Europe/Atlantis', []],
  ])('are found by "%s"', (text, found) => {
    expect(labels(text)).toEqual(found);
  });
});
