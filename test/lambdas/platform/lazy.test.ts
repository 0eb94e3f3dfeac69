import { expect, it, vi } from 'vitest';
import { lazy } from '#lambdas/platform/lazy.ts';

it('loads once for all callers', async () => {
  const load = vi.fn(async () => ({ loaded: true }));
  const get = lazy(load);
  const concurrent = await Promise.all([get(), get()]);

  expect(new Set([...concurrent, await get()])).toEqual(new Set([concurrent[0]]));
  expect(load).toHaveBeenCalledTimes(1);
});

it('loads nothing before the first call', () => {
  const load = vi.fn(async () => 1);
  lazy(load);

  expect(load).not.toHaveBeenCalled();
});

it('rejects all pending calls when the load fails, and retries on the next call', async () => {
  let attempts = 0;
  const get = lazy(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('no such file');
    return attempts;
  });
  const outcomes = await Promise.allSettled([get(), get()]);

  expect(outcomes).toEqual(outcomes.map(() => ({ status: 'rejected', reason: new Error('no such file') })));
  expect([await get(), await get()]).toEqual([2, 2]);
});
