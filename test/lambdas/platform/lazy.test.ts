import { expect, it, vi } from 'vitest';
import { lazy } from '#lambdas/platform/lazy.ts';

it('loads once, for all who ask', async () => {
  const load = vi.fn(async () => ({ loaded: true }));
  const ask = lazy(load);
  const together = await Promise.all([ask(), ask()]);

  expect(new Set([...together, await ask()])).toEqual(new Set([together[0]]));
  expect(load).toHaveBeenCalledTimes(1);
});

it('loads nothing before somebody asks', () => {
  const load = vi.fn(async () => 1);
  lazy(load);

  expect(load).not.toHaveBeenCalled();
});

it('tries again what failed, and tells all who had asked', async () => {
  let attempts = 0;
  const ask = lazy(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('no such file');
    return attempts;
  });
  const outcomes = await Promise.allSettled([ask(), ask()]);

  expect(outcomes).toEqual(outcomes.map(() => ({ status: 'rejected', reason: new Error('no such file') })));
  expect([await ask(), await ask()]).toEqual([2, 2]);
});
