import { setTimeout as delay } from 'node:timers/promises';

const minPauseMs = 100;

/** Expensive polls slow down the processes that they wait for, so the pause grows with the poll's duration. */
const pausePerPoll = 2;

/** Returns false when the condition was not met within the timeout. */
export async function waitUntil(
  timeoutMs: number,
  isMet: () => Promise<boolean> | boolean,
): Promise<boolean> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    const startedAtMs = Date.now();
    if (await isMet()) return true;
    const nowMs = Date.now();
    if (nowMs > deadlineMs) return false;
    await delay(Math.max(minPauseMs, pausePerPoll * (nowMs - startedAtMs)));
  }
}
