import { expect, it } from 'vitest';
import type { DemoDashboard } from '#test/support/browser/demo-dashboard.ts';
import { chartTable } from '#test/support/browser/page-content.ts';

const hours = (day: string, nextDay: string) => ({
  start: day,
  end: nextDay,
  time_zone: 'Europe/Berlin',
  interval: 'hour',
  group: 'none',
  metric: 'requests',
});

export function testClockChanges(demo: () => DemoDashboard): void {
  it('has 25 hours in autumn, two of which have the same number', async () => {
    const window = { start: '2026-10-24T22:00:00Z', end: '2026-10-25T23:00:00Z' };
    const { series } = await demo().api.costs({ ...window, interval: 'hour' });
    const page = await demo().open('/usage', hours('2026-10-25', '2026-10-26'));
    const [, ...rows] = await chartTable(page, 'Requests');

    expect(rows).toHaveLength(25);
    expect(rows.map(([, requests]) => requests)).toEqual(series.map(({ requests }) => String(requests)));
    expect(rows.slice(2, 4)).toEqual([
      [expect.stringContaining('02:00 CEST'), '1'],
      [expect.stringContaining('02:00–03:00 CET'), '1'],
    ]);
  });
}
