import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isLoadFailure, loadView, preloadViews } from '#dashboard/shell/load-view.ts';

const target = new EventTarget();
const goOnline = () => target.dispatchEvent(new Event('online'));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The tries of a view whose code is there after some of them. */
function viewAfter(failures: number) {
  const tries: number[] = [];
  const load = async () => {
    tries.push(Date.now());
    if (tries.length <= failures) throw new TypeError('Failed to fetch dynamically imported module');
    return 'view';
  };
  return { tries, load };
}

describe('The code of a view', () => {
  it('is loaded when the connection is back', async () => {
    vi.stubGlobal('navigator', { onLine: false });
    const { tries, load } = viewAfter(2);
    const view = loadView(load);
    await vi.advanceTimersByTimeAsync(9000);
    expect(tries).toHaveLength(1);

    goOnline();
    await vi.advanceTimersByTimeAsync(0);
    expect(tries).toHaveLength(2);
    // The browser may be wrong about its connection.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await view).toBe('view');
  });

  it('is tried three times with a connection, then reported under another name', async () => {
    vi.stubGlobal('navigator', { onLine: true });
    const { tries, load } = viewAfter(9);
    const startMs = Date.now();
    const failure = loadView(load).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(4000);

    expect(await failure).toEqual(new Error('The view could not be loaded'));
    expect(isLoadFailure(await failure)).toBe(true);
    expect(isLoadFailure(new Error('a fault'))).toBe(false);
    expect(tries.map((timeMs) => timeMs - startMs)).toEqual([0, 1000, 4000]);
  });
});

describe('The code of all views', () => {
  const viewsThat = (preload: () => Promise<void>) => [
    { preload: vi.fn(preload) },
    {},
    { preload: vi.fn(preload) },
  ];

  it('is loaded one view after another, long after the first, whether or not one fails', async () => {
    vi.stubGlobal('navigator', { onLine: true });
    const views = viewsThat(() => Promise.reject(new Error('offline')));
    preloadViews(views);
    await vi.advanceTimersByTimeAsync(5900);
    expect(views[0]?.preload).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(views[0]?.preload).toHaveBeenCalledOnce();
    expect(views[2]?.preload).toHaveBeenCalledOnce();
  });

  it('is not loaded for those who save data', async () => {
    vi.stubGlobal('navigator', { onLine: true, connection: { saveData: true } });
    const views = viewsThat(() => Promise.resolve());
    preloadViews(views);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(views[0]?.preload).not.toHaveBeenCalled();
  });
});
