import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isLoadFailure, isReachable, loadView, preloadViews } from '#dashboard/shell/load-view.ts';

const target = new EventTarget();
let isConnected = true;

beforeEach(() => {
  isConnected = true;
  vi.useFakeTimers();
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target));
  vi.stubGlobal('fetch', async () => {
    if (!isConnected) throw new TypeError('Failed to fetch');
    return new Response();
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('The code of a view', () => {
  it('is asked for only when the connection is back, since browsers ask once', async () => {
    vi.stubGlobal('navigator', { onLine: false });
    isConnected = false;
    const load = vi.fn(async () => 'view');
    const view = loadView(load);
    await vi.advanceTimersByTimeAsync(9000);
    target.dispatchEvent(new Event('online'));
    // The network needs a moment.
    await vi.advanceTimersByTimeAsync(9000);
    expect(load).not.toHaveBeenCalled();

    isConnected = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(await view).toBe('view');
    expect(load).toHaveBeenCalledOnce();
  });

  it('is loaded at once where the browser is wrong about being offline', async () => {
    vi.stubGlobal('navigator', { onLine: false });
    expect(await loadView(async () => 'view')).toBe('view');
  });

  it('that cannot be loaded is reported under another name', async () => {
    vi.stubGlobal('navigator', { onLine: true });
    const load = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
    const failure: unknown = await loadView(load).catch((error: unknown) => error);

    expect(failure).toEqual(new Error('The view could not be loaded'));
    expect(isLoadFailure(failure)).toBe(true);
    expect(isLoadFailure(new Error('a fault'))).toBe(false);
  });
});

describe('The gateway', () => {
  it('is reachable if it serves the page', async () => {
    expect(await isReachable()).toBe(true);
    isConnected = false;
    expect(await isReachable()).toBe(false);
    vi.stubGlobal('fetch', async () => new Response(null, { status: 503 }));
    expect(await isReachable()).toBe(false);
  });
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
