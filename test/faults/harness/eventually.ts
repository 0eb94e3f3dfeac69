/** Waits for what comes about by itself, by looking again and again. */
import { setTimeout as delay } from 'node:timers/promises';

const lookEveryMs = 100;

/** Whether it came about in time. */
export async function comesAbout(
  timeoutMs: number,
  look: () => Promise<boolean> | boolean,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!(await look())) {
    if (Date.now() > deadline) return false;
    await delay(lookEveryMs);
  }
  return true;
}
