import { describe, expect, it } from 'vitest';
import {
  type GroupListSearch,
  groupListParameters,
  isSortedMetric,
  parseGroupList,
  sortedBy,
} from '#dashboard/metrics/group-list/order.ts';
import { metricNames } from '#dashboard/metrics/metrics.ts';
import { groupOrders } from '#lambdas/reports/costs/groups/order.ts';

describe('The link of a list of groups', () => {
  it.each<[Record<string, unknown>, GroupListSearch]>([
    [
      { search: 'sum', sort: 'error_rate', order: 'asc' },
      { search: 'sum', sort: 'error_rate', order: 'asc' },
    ],
    [{ sort: 'cost', order: 'desc' }, {}],
    [{ search: ' ', sort: 'cached_share', order: 'up' }, {}],
    [{ search: 'x'.repeat(257), sort: 5 }, {}],
    [{ sort: 'toString' }, {}],
  ])('%j is read as %j', (search, list) => {
    expect(parseGroupList(search)).toEqual(list);
  });

  it('asks the API for what differs from its default', () => {
    expect(groupListParameters({})).toEqual({});
    expect(groupListParameters({ search: ' sum ', sort: 'mean_cost', order: 'asc' })).toEqual({
      search: 'sum',
      order_by: 'mean_cost_usd',
      order: 'asc',
    });
  });

  it('has the highest first after the press on another heading, and turns around after the next', () => {
    const byErrors = sortedBy({ order: 'asc' }, 'error_rate');
    expect(byErrors).toEqual({ sort: 'error_rate' });
    expect(sortedBy(byErrors, 'error_rate')).toEqual({ sort: 'error_rate', order: 'asc' });
    expect(sortedBy({ sort: 'error_rate', order: 'asc' }, 'error_rate')).toEqual({ sort: 'error_rate' });
    expect(sortedBy({}, 'cost')).toEqual({ order: 'asc' });
    expect(sortedBy(byErrors, 'cost')).toEqual({});
  });

  it('sorts by figures that the API knows', () => {
    const sorted = metricNames.filter(isSortedMetric);
    const names = sorted.map((sort) => groupListParameters({ sort }).order_by);
    expect([...names].sort()).toEqual([...groupOrders].sort());
  });

  it('cannot sort by shares that the API does not have', () => {
    expect([isSortedMetric('latency_p95'), isSortedMetric('cached_share')]).toEqual([true, false]);
  });
});
