import { ApiError } from '#dashboard/api/client.ts';
import type { TestEntry } from '#lambdas/accounts/test-request/responses.ts';

/** An entry is usually there a second after its request. */
const delaysMs = [500, 1000, 2000, 4000, 8000];

/** Returns `null` if the entry is not written in time. `wait` rejects when the load is aborted. */
export async function loadTestEntry(
  load: () => Promise<TestEntry>,
  wait: (delayMs: number) => Promise<void>,
): Promise<TestEntry | null> {
  for (const delayMs of delaysMs) {
    await wait(delayMs);
    try {
      return await load();
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
  return null;
}

export function abortableDelay(signal: AbortSignal): (delayMs: number) => Promise<void> {
  return (delayMs) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        clearTimeout(timeout);
        reject(signal.reason);
      };
      const timeout = setTimeout(() => {
        signal.removeEventListener('abort', abort);
        resolve();
      }, delayMs);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
}
