import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isLoadFailure, isReachable, loadCode } from '#dashboard/components/load-code.ts';

const target = new EventTarget();
let isConnected = true;
let fetches = 0;

beforeEach(() => {
  isConnected = true;
  fetches = 0;
  vi.useFakeTimers();
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target));
  vi.stubGlobal('fetch', async () => {
    fetches += 1;
    if (!isConnected) throw new TypeError('Failed to fetch');
    return new Response();
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('The code of a part of the page', () => {
  it('is asked for only when the connection is back, since browsers ask once', async () => {
    vi.stubGlobal('navigator', { onLine: false });
    isConnected = false;
    const load = vi.fn(async () => 'part');
    const parts = [loadCode(load), loadCode(load)];
    await vi.advanceTimersByTimeAsync(9000);
    target.dispatchEvent(new Event('online'));
    // The network needs a moment.
    await vi.advanceTimersByTimeAsync(9000);
    expect(load).not.toHaveBeenCalled();

    isConnected = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(await Promise.all(parts)).toEqual(['part', 'part']);
    expect(load).toHaveBeenCalledTimes(2);
    // At first, when the browser said that it was back, and after a pause: once for all parts.
    expect(fetches).toBe(3);
  });

  it('is loaded at once where the browser is wrong about being offline', async () => {
    vi.stubGlobal('navigator', { onLine: false });
    expect(await loadCode(async () => 'part')).toBe('part');
  });

  it('that cannot be loaded is reported under another name', async () => {
    vi.stubGlobal('navigator', { onLine: true });
    const load = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
    const failure: unknown = await loadCode(load).catch((error: unknown) => error);

    expect(failure).toEqual(new Error('This could not be loaded. Check your connection and try again.'));
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
