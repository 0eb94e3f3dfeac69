import { ApiError } from '#dashboard/api/client.ts';
import type { PricedRequest } from '#dashboard/components/request/entry-cost.tsx';

/** The fields of a request's log entry that are shown. */
export interface TestEntry extends PricedRequest {
  id: string;
  model: string;
  /** Null if the request was refused before it reached a provider. */
  provider: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  latency_ms: number;
  /** Exact up to 1,000 dollars, although it is a number. */
  cost_usd: number;
}

/** An entry is usually there a second after its request. */
const delaysMs = [500, 1000, 2000, 4000, 8000];

/** Returns null if the entry is not written in time. `wait` rejects when the load is aborted. */
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
