/** Waits for what comes about by itself, by looking again and again. */
import { setTimeout as delay } from 'node:timers/promises';

const shortestPauseMs = 100;

/** Who looks at much keeps what is looked at from coming about. */
const pausePerLook = 2;

/** Whether it came about in time. */
export async function comesAbout(
  timeoutMs: number,
  look: () => Promise<boolean> | boolean,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const begunAt = Date.now();
    if (await look()) return true;
    const now = Date.now();
    if (now > deadline) return false;
    await delay(Math.max(shortestPauseMs, pausePerLook * (now - begunAt)));
  }
}
