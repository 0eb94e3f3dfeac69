/** A single log entry with the explanation of its cost. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { CostBreakdown } from './cost-breakdown.ts';
import type { LogEntryReader } from './read.ts';

/** Returns `null` when the current prices for the entry's time do not give its cost. */
export type CostExplainer = (entry: LogEntry) => Promise<CostBreakdown | null>;

export interface LogEntryDependencies {
  logEntries: Pick<LogEntryReader, 'find'>;
  /** Loads the price table, so it is called only for a cost that the gateway calculated. */
  loadCostExplainer(): Promise<CostExplainer>;
}

export interface ExplainedLogEntry {
  entry: LogEntry;
  costBreakdown: CostBreakdown | null;
}

/** Throws a `GatewayError` (404). */
export async function findExplainedLogEntry(
  { logEntries, loadCostExplainer }: LogEntryDependencies,
  organizationId: string,
  id: string,
): Promise<ExplainedLogEntry> {
  const entry = isUuid(id) ? await logEntries.find(organizationId, id.toLowerCase()) : null;
  if (entry === null) {
    throw new GatewayError('not_found', { message: 'There is no log entry with this id' });
  }
  return { entry, costBreakdown: await findCostBreakdown(entry, loadCostExplainer) };
}

/** Without the prices, the entry is returned all the same, with `null`. */
async function findCostBreakdown(
  entry: LogEntry,
  loadCostExplainer: LogEntryDependencies['loadCostExplainer'],
): Promise<CostBreakdown | null> {
  if (!hasCalculatedCost(entry)) return null;
  try {
    const explainCost = await loadCostExplainer();
    return await explainCost(entry);
  } catch (error) {
    logUnexpected(error);
    return null;
  }
}

function hasCalculatedCost({ pricing }: LogEntry): boolean {
  return pricing !== null && pricing !== 'provider' && pricing !== 'unknown';
}
