import { describe, expect, it } from 'vitest';
import { groupsCsv, groupsFileName } from '#dashboard/metrics/group-list/csv.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '#test/dashboard/rendering/cost-totals.ts';

const report: CostReport = {
  window: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z', rounded_to: null },
  time_zone: 'UTC',
  complete_until: '2026-12-01T00:00:00.000Z',
  max_percentile_error: 0.19,
  totals: costTotals(),
  previous: null,
  group_by: 'prompt_id',
  groups: [
    { value: '=summarize', totals: costTotals({ requests: 2, cost_usd: '0.3' }) },
    { value: null, totals: costTotals({ requests: 1, cost_usd: '0.1' }) },
  ],
  other: { groups: 3, totals: costTotals({ requests: 5, cost_usd: '0.05' }) },
  interval: null,
  series: [],
};

describe('The export of a list of groups', () => {
  it('has a line for each group in the order of the list, and for the others', () => {
    const lines = groupsCsv(report)
      .split('\r\n')
      .map((line) => line.split(',').slice(2, 7));
    expect(lines).toEqual([
      ['time_zone', 'is_other', 'prompt_id', 'requests', 'cost_usd'],
      ['UTC', 'false', "'=summarize", '2', '0.3'],
      ['UTC', 'false', '', '1', '0.1'],
      ['UTC', 'true', '', '5', '0.05'],
      [],
    ]);
  });

  it.each([
    [{}, 'prompts-2026-11-01-to-2026-11-30.csv'],
    [{ end: null }, 'prompts-2026-11-01-to-2026-12-05.csv'],
    [{ start: null }, 'prompts-until-2026-11-30.csv'],
  ])('of the range %j is called %s', (window, name) => {
    const changed = { ...report, window: { ...report.window, ...window } };
    expect(groupsFileName(changed, 'prompts', new Date('2026-12-05T12:00:00Z'))).toBe(name);
  });
});
