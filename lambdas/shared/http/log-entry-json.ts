/** A log entry as the API shows it. */
import type { LogEntry } from '../domain/log-entry.ts';
import { usdJson } from './usd-json.ts';

export function logEntryJson({ organization_id, ...entry }: LogEntry) {
  return { ...entry, cost_usd: usdJson(entry.cost_usd) };
}
