import { describe, expect, it } from 'vitest';
import { createFailingTargets } from '#lambdas/inference/routing/failing-targets.ts';

const model = 'openai/gpt-4o';

describe('A failing target', () => {
  it('is skipped for twice as long after each failure, up to a minute', () => {
    const failing = createFailingTargets();
    let nowMs = 0;
    const pauses = Array.from({ length: 6 }, () => {
      failing.failed(model, nowMs, null);
      const failedAtMs = nowMs;
      while (failing.isFailing(model, nowMs)) nowMs += 100;
      return nowMs - failedAtMs;
    });
    expect(pauses).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it.each([
    [2000, 2000],
    [1, 1],
    [600_000, 60_000],
  ])('is skipped as long as the provider asks for (%i ms), up to a minute', (retryAfterMs, pauseMs) => {
    const failing = createFailingTargets();
    failing.failed(model, 0, retryAfterMs);
    expect(failing.isFailing(model, pauseMs - 1)).toBe(true);
    expect(failing.isFailing(model, pauseMs)).toBe(false);
  });

  it('is tried by one request then, and by all after its success', () => {
    const failing = createFailingTargets();
    failing.failed(model, 0, null);
    expect(failing.isFailing(model, 5000)).toBe(false);
    failing.tried(model, 5000);
    // The request has not ended, and never may.
    expect([5001, 34_999, 35_000].map((atMs) => failing.isFailing(model, atMs))).toEqual([true, true, false]);
    failing.succeeded(model);
    failing.tried(model, 35_001);
    expect(failing.isFailing(model, 35_002)).toBe(false);
    failing.failed(model, 40_000, null);
    expect([failing.isFailing(model, 44_999), failing.isFailing('openai/other', 40_000)]).toEqual([
      true,
      false,
    ]);
  });
});
