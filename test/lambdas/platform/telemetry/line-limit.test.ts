import { expect, it } from 'vitest';
import { createLineLimit } from '#lambdas/platform/telemetry/line-limit.ts';

it('admits so many lines a minute, and the next line counts the events without one', () => {
  const limit = createLineLimit(2);

  expect([0, 10, 20, 59_999].map((atMs) => limit.admit(atMs))).toEqual([0, 0, null, null]);
  expect([60_000, 60_001, 60_002].map((atMs) => limit.admit(atMs))).toEqual([2, 0, null]);
  expect(limit.admit(200_000)).toBe(1);
});

it('admits a line for every 50 events of a flood', () => {
  const limit = createLineLimit(1);

  const counts = Array.from({ length: 5_000 }, () => limit.admit(0));

  const admitted = counts.filter((count) => count !== null);
  expect(admitted).toEqual([0, ...Array.from({ length: 99 }, () => 49)]);
});
