/** The end of every request: its usage priced, its log entry written. Neither throws: the caller has the response. */
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import type { Log } from '#lambdas/platform/log.ts';
import { type Price, type PriceTable, priceUsage } from '#lambdas/pricing/price.ts';
import type { LogEntry, LogEntryWriter, LostEntries } from '#lambdas/request-log/entry.ts';
import { entryText } from '#lambdas/request-log/entry-json.ts';
import type { Exchange } from './exchange.ts';

export interface EntryDependencies {
  logEntries: LogEntryWriter;
  lostEntries: LostEntries;
  log: Log;
}

type Priced = Readonly<Pick<Exchange, 'facts' | 'provider' | 'model' | 'receivedAtMs'>>;

/** At the prices of the moment in which the request came; `null` when there is no usage. */
export async function priceOf(
  { facts, provider, model, receivedAtMs }: Priced,
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

/** To the table; if that fails, to the queue of lost entries; if that fails too, into a line of the log. */
export async function writeEntry(
  { logEntries, lostEntries, log }: EntryDependencies,
  entry: LogEntry,
): Promise<void> {
  if (await isDone(logEntries.put(entry))) return;
  if (await isDone(lostEntries.send(entry))) return;
  // The whole entry, so that it can be put back; it holds neither prompt nor completion.
  log.error('log_entry_not_written', { entry: entryText(entry) });
}

async function isDone(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    logUnexpected(error);
    return false;
  }
}
