import { describe, expect, it } from 'vitest';
import {
  chatLimits,
  chatTimeoutSeconds,
  defaultChatLimits,
  providerDeadlineMs,
  responseDeadlineMs,
} from '#lambdas/inference/exchange/limits.ts';

const megabyte = 1024 * 1024;

describe('chatLimits', () => {
  it('returns the defaults in milliseconds and bytes', () => {
    expect(chatLimits(defaultChatLimits, { flushMs: 0 })).toEqual({
      firstByteMs: 285_000,
      firstEventMs: 30_000,
      idleMs: 285_000,
      totalMs: 884_000,
      drainMs: 30_000,
      drainBytes: 10 * megabyte,
      retries: 1,
      retryAfterMs: 2000,
      closeGraceMs: 1000,
      finishGraceMs: 5000,
      heartbeatMs: 15_000,
      flushMs: 0,
      commentDelayMs: 500,
      maxResponseBytes: 32 * megabyte,
    });
  });

  it('converts fractions of seconds and megabytes', () => {
    const settings = { ...defaultChatLimits, firstByteSeconds: 0.1, drainMegabytes: 0.5 };
    expect(chatLimits(settings, { flushMs: 0 })).toMatchObject({
      firstByteMs: 100,
      drainBytes: 0.5 * megabyte,
    });
  });

  it("leaves time for the log entry within Lambda's maximum timeout", () => {
    expect([chatTimeoutSeconds, defaultChatLimits.totalSeconds]).toEqual([900, 884]);
  });
});

describe('responseDeadlineMs and providerDeadlineMs', () => {
  it.each([
    [900_000, 886_000, 884_000],
    [16_250, 2250, 250],
    [16_050, 2050, 100],
    [14_050, 100, 100],
    [0, 100, 100],
  ])(
    'turns %i ms of remaining time into deadlines of %i ms for the response and %i ms for the provider',
    (remainingMs, responseMs, providerMs) => {
      const deadlineMs = responseDeadlineMs(1000, remainingMs);
      expect([deadlineMs, providerDeadlineMs(1000, deadlineMs)]).toEqual([
        1000 + responseMs,
        1000 + providerMs,
      ]);
    },
  );
});
