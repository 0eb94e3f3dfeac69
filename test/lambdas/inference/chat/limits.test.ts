import { describe, expect, it } from 'vitest';
import {
  chatLimits,
  chatTimeoutSeconds,
  defaultChatLimits,
  providerDeadlineMs,
  responseDeadlineMs,
} from '#lambdas/inference/chat/limits.ts';

const megabyte = 1024 * 1024;

describe('the limits of chat', () => {
  it('have these defaults, in the units of the code', () => {
    expect(chatLimits(defaultChatLimits)).toEqual({
      firstByteMs: 285_000,
      idleMs: 285_000,
      totalMs: 888_000,
      drainMs: 30_000,
      drainBytes: 10 * megabyte,
      retries: 1,
      retryAfterMs: 2000,
      lingerMs: 1000,
      maxCompletionBytes: 32 * megabyte,
    });
  });

  it('have their units converted', () => {
    const settings = { ...defaultChatLimits, firstByteSeconds: 0.1, drainMegabytes: 0.5 };
    expect(chatLimits(settings)).toMatchObject({ firstByteMs: 100, drainBytes: 0.5 * megabyte });
  });

  it('leave time for the log entry within the longest time that Lambda gives', () => {
    expect([chatTimeoutSeconds, defaultChatLimits.totalSeconds]).toEqual([900, 888]);
  });
});

describe('the time that a function has left', () => {
  it.each([
    [900_000, 890_000, 888_000],
    [12_250, 2250, 250],
    [12_050, 2050, 100],
    [10_050, 100, 100],
    [0, 100, 100],
  ])('of %i ms is the response for %i ms, and the provider for %i', (remainingMs, responseMs, providerMs) => {
    const deadlineMs = responseDeadlineMs(1000, remainingMs);
    expect([deadlineMs, providerDeadlineMs(1000, deadlineMs)]).toEqual([
      1000 + responseMs,
      1000 + providerMs,
    ]);
  });
});
