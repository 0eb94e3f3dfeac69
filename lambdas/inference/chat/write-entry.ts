/**
 * Prices the usage of a request and writes its log entry. Logs errors instead of throwing them, since the response has
 * already been sent.
 */
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import type { Log } from '#lambdas/platform/log.ts';
import { type Price, type PriceTable, priceUsage } from '#lambdas/pricing/price.ts';
import type { LogEntry, LogEntryWriter, LostEntries } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import type { Exchange } from './exchange.ts';

export interface EntryDependencies {
  logEntries: LogEntryWriter;
  lostEntries: LostEntries;
  log: Log;
}

type PriceInput = Readonly<Pick<Exchange, 'facts' | 'provider' | 'model' | 'receivedAtMs'>>;

/** Applies the prices that were valid when the request was received. Returns `null` when there is no usage. */
export async function priceOf(
  { facts, provider, model, receivedAtMs }: PriceInput,
  loadPriceTable: () => Promise<PriceTable>,
): Promise<Price | null> {
  const { usage, responseModel, reportedCostUsd } = facts;
  if (usage === null || provider === null || model === null) return null;
  const { name, prices: configuredPrices } = provider;
  const at = new Date(receivedAtMs);
  try {
    return priceUsage(
      { provider: name, model, responseModel, usage, reportedCostUsd, at, configuredPrices },
      await loadPriceTable(),
    );
  } catch (error) {
    logUnexpected(error);
    return { cost_usd: '0', pricing: 'unknown', pricing_version: null };
  }
}

/** Writes to the table; if that fails, to the lost-entries queue; if that fails too, to the function's log. */
export async function writeEntry(
  { logEntries, lostEntries, log }: EntryDependencies,
  entry: LogEntry,
): Promise<void> {
  if (await succeeds(logEntries.put(entry))) return;
  if (await succeeds(lostEntries.send(entry))) return;
  // The complete entry, so that it can be recovered. It contains neither prompt nor completion.
  log.error('log_entry_not_written', { entry: serializeLogEntry(entry) });
}

async function succeeds(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    logUnexpected(error);
    return false;
  }
}
