/** The end of every request: its usage priced, its log entry written. */
import type { LogEntryWriter } from '../shared/domain/log-entry.ts';
import { asGatewayError } from '../shared/http/error-response.ts';
import { type Price, type PriceTable, priceUsage } from '../shared/pricing/price.ts';
import { finishLogDraft, type LogDraft } from './log-draft.ts';

export interface EntryServices {
  logEntries: LogEntryWriter;
  loadPriceTable(): Promise<PriceTable>;
  now(): Date;
}

/** Never throws: the caller has its answer, and an entry that cannot be written is kept in a log line. */
export async function writeEntry(services: EntryServices, draft: LogDraft, status: number): Promise<void> {
  const endedAtMs = services.now().getTime();
  const entry = finishLogDraft(draft, { endedAtMs, status, price: await priceOf(services, draft) });
  try {
    await services.logEntries.put(entry);
  } catch (error) {
    asGatewayError(error);
    // The whole entry, so that it can be put back; it holds neither prompt nor answer.
    console.error(JSON.stringify({ level: 'ERROR', event: 'log_entry_not_written', entry }));
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
