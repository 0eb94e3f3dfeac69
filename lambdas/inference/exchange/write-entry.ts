/** Writes the log entry of a request. Logs errors instead of throwing them, since the response has already been sent. */
import { errorFields, type Log } from '#lambdas/platform/telemetry/log.ts';
import type { LogEntry, LogEntryWriter, LostEntries } from '#lambdas/request-log/entry.ts';

export interface EntryDependencies {
  logEntries: LogEntryWriter;
  lostEntries: LostEntries;
  log: Log;
}

/**
 * Writes to the table or, if that fails, to the lost-entries queue. If that fails too, only the log has the entry. An entry
 * whose price could not be read is sent to the queue in any case: the function behind it reads the price later.
 */
export async function writeEntry(
  { logEntries, lostEntries, log }: EntryDependencies,
  entry: LogEntry,
  { isPriceUnread = false } = {},
): Promise<void> {
  const log_id = entry.id;
  const tableError = await failureOf(logEntries.put(entry));
  if (tableError === null && !isPriceUnread) return;
  const queueError = await failureOf(lostEntries.send(entry));
  if (tableError === null) {
    const fields = { log_id, ...(queueError && errorFields(queueError.error)) };
    log.error('price_not_read', fields, queueError === null ? { QueuedEntries: 1 } : {});
  } else if (queueError === null) {
    log.error('log_entry_queued', { log_id, ...errorFields(tableError.error) }, { QueuedEntries: 1 });
  } else {
    const fields = {
      log_id,
      ...errorFields(queueError.error),
      table_error: errorFields(tableError.error).error,
    };
    log.error('log_entry_not_written', fields, { UnwrittenEntries: 1 });
  }
}

async function failureOf(writing: Promise<void>): Promise<{ error: unknown } | null> {
  try {
    await writing;
    return null;
  } catch (error) {
    return { error };
  }
}
