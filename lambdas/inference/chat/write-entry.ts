/** Writes the log entry of a request. Logs errors instead of throwing them, since the response has already been sent. */
import { errorFields, type Log } from '#lambdas/platform/log.ts';
import type { LogEntry, LogEntryWriter, LostEntries } from '#lambdas/request-log/entry.ts';

export interface EntryDependencies {
  logEntries: LogEntryWriter;
  lostEntries: LostEntries;
  log: Log;
}

/** Writes to the table or, if that fails, to the lost-entries queue. If that fails too, only the log has the entry. */
export async function writeEntry(
  { logEntries, lostEntries, log }: EntryDependencies,
  entry: LogEntry,
): Promise<void> {
  const log_id = entry.id;
  try {
    await logEntries.put(entry);
  } catch (tableError) {
    try {
      await lostEntries.send(entry);
      log.error('log_entry_queued', { log_id, ...errorFields(tableError) }, { QueuedEntries: 1 });
    } catch (error) {
      const fields = { log_id, ...errorFields(error), table_error: errorFields(tableError).error };
      log.error('log_entry_not_written', fields, { UnwrittenEntries: 1 });
    }
  }
}
