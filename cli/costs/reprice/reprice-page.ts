/** Prices the entries of a page again. */

import { newPriceOf, type Repricing } from '#lambdas/costs/reprice/new-price.ts';
import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import type { PriceChangeResult } from '#lambdas/request-log/table/change-price.ts';
import { countChange, type RepriceCounts } from './reprice-counts.ts';

export interface PageWork {
  repricing: Repricing;
  counts: RepriceCounts;
  change(stored: StoredLogEntry, price: Price): Promise<PriceChangeResult>;
  pause(ms: number): Promise<void>;
  signal: AbortSignal;
}

/**
 * 200 changes a second, each of up to two write units: what a shard's partitions have left beside 500 requests a
 * second, so that no request's own entry is refused for this.
 */
const changesAtOnce = 6;
const changesIntervalMs = 30;

export async function repricePage(work: PageWork, page: readonly StoredLogEntry[]): Promise<void> {
  const { counts, repricing, pause, signal } = work;
  counts.read += page.length;
  const changing = page.filter(({ entry }) => newPriceOf(entry, repricing) !== null);
  counts.stillUnknown += page.filter(isUnknown).length - changing.filter(isUnknown).length;
  for (let from = 0; from < changing.length; from += changesAtOnce) {
    signal.throwIfAborted();
    const some = changing.slice(from, from + changesAtOnce);
    await Promise.all([
      pause(changesIntervalMs),
      forEachAtOnce(some, changesAtOnce, (stored) => repriceEntry(work, stored)),
    ]);
  }
}

/** Another run may have changed the entry since it was read, or time has removed it. */
async function repriceEntry({ repricing, counts, change }: PageWork, stored: StoredLogEntry): Promise<void> {
  let current: StoredLogEntry | null = stored;
  while (current !== null) {
    const price = newPriceOf(current.entry, repricing);
    if (price === null) return;
    const result = await change(current, price);
    if (result.isWritten) {
      countChange(counts, { before: current.entry.cost_usd, after: price.cost_usd });
      return;
    }
    current = result.current;
  }
}

function isUnknown({ entry }: { entry: LogEntry }): boolean {
  return entry.pricing === 'unknown';
}
