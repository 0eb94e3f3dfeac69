import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';

function startWatch(deadlines: Partial<Parameters<typeof createDeadlineWatch>[0]> = {}) {
  const watch = createDeadlineWatch({ firstByteMs: 1000, idleMs: 200, totalMs: 10_000, ...deadlines });
  const onExpiry = vi.fn();
  watch.onExpiry(onExpiry);
  return { watch, onExpiry };
}

describe('createDeadlineWatch', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('expires when no first byte arrives within firstByteMs', () => {
    const { watch, onExpiry } = startWatch();
    vi.advanceTimersByTime(999);
    expect(watch.expired()).toBeNull();
    vi.advanceTimersByTime(1);
    expect(onExpiry).toHaveBeenCalledOnce();
    expect(watch.expired()).toMatchObject({
      code: 'provider_timeout',
      message: 'The provider sent nothing for 1 seconds',
    });
  });

  it('does not restart timers when resumed after stop', () => {
    const { watch } = startWatch();
    watch.received(1);
    watch.settleWithin(1000);
    watch.pause();
    watch.stop();
    watch.resume();
    watch.received(1);

    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not count paused time as idle', () => {
    const { watch } = startWatch();
    watch.received(1);
    watch.pause();
    vi.advanceTimersByTime(5000);
    expect(watch.expired()).toBeNull();
    watch.resume();
    vi.advanceTimersByTime(199);
    expect(watch.expired()).toBeNull();
    vi.advanceTimersByTime(1);
    expect(watch.expired()?.message).toBe('The provider sent nothing for 0.2 seconds');
  });

  it('expires after totalMs even while paused', () => {
    const { watch } = startWatch();
    watch.received(1);
    watch.pause();
    vi.advanceTimersByTime(10_000);
    expect(watch.expired()?.message).toBe('The provider took longer than 10 seconds');
  });

  it('shortens the total deadline with finishWithin, but never extends it', () => {
    const { watch } = startWatch({ firstByteMs: 60_000, totalMs: 3000 });
    watch.finishWithin({ milliseconds: 5000, bytes: 100 });
    vi.advanceTimersByTime(3000);
    expect(watch.expired()?.message).toBe('The provider took longer than 3 seconds');
    const shortened = startWatch({ firstByteMs: 60_000, totalMs: 9000 }).watch;
    shortened.finishWithin({ milliseconds: 5000, bytes: 100 });
    vi.advanceTimersByTime(5000);
    expect(shortened.expired()?.message).toBe(
      'The caller disconnected, and the rest of the response took too long',
    );
  });

  it('expires when more bytes arrive than finishWithin allows', () => {
    const { watch, onExpiry } = startWatch();
    watch.received(1000);
    watch.finishWithin({ milliseconds: 5000, bytes: 100 });
    watch.received(100);
    expect(watch.expired()).toBeNull();
    watch.received(1);
    expect(onExpiry).toHaveBeenCalledOnce();
    expect(watch.expired()?.message).toBe(
      'The caller disconnected, and the rest of the response is too large',
    );
  });

  it('expires after settleWithin, without the time in which the caller is reading', () => {
    const { watch, onExpiry } = startWatch({ idleMs: 60_000 });
    watch.received(1);
    watch.settleWithin(1000);
    vi.advanceTimersByTime(999);
    watch.pause();
    vi.advanceTimersByTime(5000);
    watch.resume();
    // Bytes after the end, such as comments, do not extend the time.
    vi.advanceTimersByTime(900);
    watch.received(1);
    expect(onExpiry).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(onExpiry).toHaveBeenCalledOnce();
    expect(watch.expired()?.message).toBe('The provider did not end its response');
  });

  it('shortens the time of settleWithin, but never extends it', () => {
    const { watch } = startWatch({ idleMs: 60_000 });
    watch.received(1);
    watch.settleWithin(5000);
    watch.settleWithin(1000);
    watch.settleWithin(5000);
    vi.advanceTimersByTime(1000);
    expect(watch.expired()?.message).toBe('The provider did not end its response');
  });

  it('restarts and extends the time of settleWithin for a response that went on', () => {
    const { watch, onExpiry } = startWatch({ idleMs: 60_000 });
    watch.received(1);
    watch.settleWithin(1000);
    for (const extended of [1000, 5000, 5000]) {
      vi.advanceTimersByTime(999);
      watch.settleWithin(extended, { restart: true });
    }
    watch.settleWithin(5000, { restart: false });
    vi.advanceTimersByTime(4999);
    expect(onExpiry).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(watch.expired()?.message).toBe('The provider did not end its response');
  });

  it.each(['before', 'after'])('expires immediately on a signal aborted %s finishWithin', (when) => {
    const { watch, onExpiry } = startWatch();
    const controller = new AbortController();
    if (when === 'before') controller.abort();
    watch.finishWithin({ milliseconds: 5000, bytes: 100, signal: controller.signal });
    controller.abort();
    expect(onExpiry).toHaveBeenCalledOnce();
    expect(watch.expired()).toMatchObject({ code: 'provider_timeout' });
  });

  it('removes its abort listener from the signal when stopped', () => {
    const { watch, onExpiry } = startWatch();
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    watch.finishWithin({ milliseconds: 5000, bytes: 1, signal: controller.signal });
    watch.stop();
    controller.abort();
    expect(removed).toHaveBeenCalledOnce();
    expect(onExpiry).not.toHaveBeenCalled();
  });

  it('sets no timer after stop', () => {
    const { watch } = startWatch();
    watch.stop();
    watch.finishWithin({ milliseconds: 10, bytes: 100 });
    watch.settleWithin(10);
    expect(vi.getTimerCount()).toBe(0);
  });
});
