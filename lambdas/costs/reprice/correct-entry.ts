/**
 * Changes the price of a single entry that was written before its price was known.
 *
 * Takes no lock. The cutover of a rebuild that begins after `allowPriceChange` is later than the change, and the rebuild waits a
 * minute for earlier writes before it counts entries.
 */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { changePrice } from '#lambdas/request-log/table/change-price.ts';
import { findStoredEntry } from '#lambdas/request-log/table/existence.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import { allowPriceChange } from '../rollups/state.ts';
import type { FindPrice } from './find-price.ts';

interface CorrectionDependencies {
  findPrice: FindPrice;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  now(): Date;
}

/** Does nothing if the entry keeps its price. Rejects while the rollups of its organization are being rebuilt. */
export async function correctEntry(
  { findPrice, logEntries, costRollups, now }: CorrectionDependencies,
  entry: Pick<LogEntry, 'organization_id' | 'id'>,
): Promise<void> {
  let stored = await findStoredEntry(logEntries, entry);
  while (stored !== null) {
    const price = await findPrice(stored.entry);
    if (price === null) return;
    const allowed = await allowPriceChange(costRollups, entry.organization_id, now());
    if (allowed === null) throw new Error(`The rollups of ${entry.organization_id} are being rebuilt`);
    const writtenAtMs = Math.max(now().getTime(), stored.writtenAtMs + 1, allowed.cutoverMs);
    const result = await changePrice(logEntries, { stored, price, writtenAtMs });
    if (result.isWritten) return;
    stored = result.current;
  }
}
