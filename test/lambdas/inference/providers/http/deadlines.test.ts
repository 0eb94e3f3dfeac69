import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';

function watchWith(deadlines: Partial<Parameters<typeof createDeadlineWatch>[0]> = {}) {
  const watch = createDeadlineWatch({ firstByteMs: 1000, idleMs: 200, totalMs: 10_000, ...deadlines });
  const stopped = vi.fn();
  watch.onExpiry(stopped);
  return { watch, stopped };
}

describe('the deadlines of an answer', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('end it when no first byte comes', () => {
    const { watch, stopped } = watchWith();
    vi.advanceTimersByTime(999);
    expect(watch.expired()).toBeNull();
    vi.advanceTimersByTime(1);
    expect(stopped).toHaveBeenCalledOnce();
    expect(watch.expired()).toMatchObject({
      code: 'provider_timeout',
      message: 'The provider sent nothing for 1 seconds',
    });
  });

  it('are not set going again when all is over, by a reader who was still busy', () => {
    const { watch } = watchWith();
    watch.received(1);
    watch.pause();
    watch.stop();
    watch.resume();
    watch.received(1);

    expect(vi.getTimerCount()).toBe(0);
  });

  it('count silence only while the provider is awaited, not while the caller reads', () => {
    const { watch } = watchWith();
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

  it('end it in all, also while the caller reads', () => {
    const { watch } = watchWith();
    watch.received(1);
    watch.pause();
    vi.advanceTimersByTime(10_000);
    expect(watch.expired()?.message).toBe('The provider took longer than 10 seconds');
  });

  it('can be drawn nearer, and never moved away', () => {
    const { watch } = watchWith({ firstByteMs: 60_000, totalMs: 3000 });
    watch.finishWithin({ milliseconds: 5000, bytes: 100 });
    vi.advanceTimersByTime(3000);
    expect(watch.expired()?.message).toBe('The provider took longer than 3 seconds');
    const nearer = watchWith({ firstByteMs: 60_000, totalMs: 9000 }).watch;
    nearer.finishWithin({ milliseconds: 5000, bytes: 100 });
    vi.advanceTimersByTime(5000);
    expect(nearer.expired()?.message).toBe('Nobody waits any more, and the provider took too long to end');
  });

  it('end it when more comes for a caller who has gone than was agreed', () => {
    const { watch, stopped } = watchWith();
    watch.received(1000);
    watch.finishWithin({ milliseconds: 5000, bytes: 100 });
    watch.received(100);
    expect(watch.expired()).toBeNull();
    watch.received(1);
    expect(stopped).toHaveBeenCalledOnce();
    expect(watch.expired()?.message).toBe('Nobody waits any more, and the provider had too much to say');
  });

  it('stay as near as they were drawn once, also when they are drawn nearer again', () => {
    const { watch } = watchWith();
    watch.finishWithin({ milliseconds: 5000, bytes: 100 });
    watch.finishWithin({ milliseconds: 1000 });
    watch.received(101);
    expect(watch.expired()?.message).toBe('Nobody waits any more, and the provider had too much to say');
  });

  it.each(['before', 'after'])(
    'end at once with a signal that is aborted %s they were drawn nearer',
    (when) => {
      const { watch, stopped } = watchWith();
      const controller = new AbortController();
      if (when === 'before') controller.abort();
      watch.finishWithin({ milliseconds: 5000, bytes: 100, signal: controller.signal });
      controller.abort();
      expect(stopped).toHaveBeenCalledOnce();
      expect(watch.expired()).toMatchObject({ code: 'provider_timeout' });
    },
  );

  it('leave nothing behind on a signal that outlives them', () => {
    const { watch, stopped } = watchWith();
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    watch.finishWithin({ milliseconds: 5000, signal: controller.signal });
    watch.stop();
    controller.abort();
    expect(removed).toHaveBeenCalledOnce();
    expect(stopped).not.toHaveBeenCalled();
  });

  it('leave no timer behind when the watch is over', () => {
    const { watch } = watchWith();
    watch.stop();
    watch.finishWithin({ milliseconds: 10, bytes: 100 });
    expect(vi.getTimerCount()).toBe(0);
  });
});
