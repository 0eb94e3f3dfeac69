/** The end of every request: its usage priced, its log entry written. */

import { asGatewayError } from '#lambdas/platform/http/error-response.ts';
import { type Price, type PriceTable, priceUsage } from '#lambdas/pricing/price.ts';
import type { LogEntry, LogEntryWriter, LostEntries } from '#lambdas/request-log/entry.ts';
import { entryText } from '#lambdas/request-log/entry-json.ts';
import { finishLogDraft, type LogDraft } from './log-record.ts';

export interface EntryServices {
  logEntries: LogEntryWriter;
  lostEntries: LostEntries;
  /** Lines of the function's log. */
  output: Pick<Console, 'log' | 'error'>;
  loadPriceTable(): Promise<PriceTable>;
  now(): Date;
}

/** Never throws: the caller has its answer. */
export async function writeEntry(services: EntryServices, draft: LogDraft, status: number): Promise<void> {
  const endedAtMs = services.now().getTime();
  const entry = finishLogDraft(draft, { endedAtMs, status, price: await priceOf(services, draft) });
  await keepEntry(services, entry);
}

/** Wherever it can be kept first: in the table, in the queue of those that wait for it, or in a line of the log. */
async function keepEntry({ logEntries, lostEntries, output }: EntryServices, entry: LogEntry): Promise<void> {
  if (await isDone(logEntries.put(entry))) return;
  if (await isDone(lostEntries.send(entry))) return;
  // The whole entry, so that it can be put back; it holds neither prompt nor answer.
  output.error(JSON.stringify({ level: 'ERROR', event: 'log_entry_not_written', entry: entryText(entry) }));
}

async function isDone(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    asGatewayError(error);
    return false;
  }
}

async function priceOf({ loadPriceTable }: EntryServices, draft: LogDraft): Promise<Price | null> {
  const { facts, provider, model, receivedAtMs } = draft;
  if (facts.usage === null || provider === null || model === null) return null;
  const { usage, responseModel, statedCostUsd } = facts;
  const { name, prices } = provider;
  const at = new Date(receivedAtMs);
  try {
    return priceUsage(
      { provider: name, model, responseModel, usage, statedCostUsd, at, configuredPrices: prices },
      await loadPriceTable(),
    );
  } catch (error) {
    asGatewayError(error);
    return { cost_usd: '0', pricing: 'unknown', pricing_version: null };
  }
}
