import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { preloadViews } from '#dashboard/shell/preload-views.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('The code of all views', () => {
  const viewsThat = (preload: () => Promise<void>) => [
    { preload: vi.fn(preload) },
    {},
    { preload: vi.fn(preload) },
  ];

  it('is loaded one view after another, whether or not one fails, when the page has been idle for long', async () => {
    vi.stubGlobal('navigator', { onLine: true });
    const views = viewsThat(() => Promise.reject(new Error('offline')));
    let isIdle = false;
    void preloadViews(views, () => isIdle);
    await vi.advanceTimersByTimeAsync(20_000);
    isIdle = true;
    await vi.advanceTimersByTimeAsync(5500);
    expect(views[0]?.preload).not.toHaveBeenCalled();

    await vi.advanceTimersByTimeAsync(1500);
    expect(views.map((view) => view.preload?.mock.calls.length)).toEqual([1, undefined, 1]);
  });

  it('is not loaded for those who save data', async () => {
    vi.stubGlobal('navigator', { onLine: true, connection: { saveData: true } });
    const views = viewsThat(() => Promise.resolve());
    await preloadViews(views, () => true);
    expect(views[0]?.preload).not.toHaveBeenCalled();
  });
});
