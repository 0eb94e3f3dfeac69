/** Writes the log entry of a request. Logs errors instead of throwing them, since the response has already been sent. */
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import type { Log } from '#lambdas/platform/log.ts';
import type { LogEntry, LogEntryWriter, LostEntries } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';

export interface EntryDependencies {
  logEntries: LogEntryWriter;
  lostEntries: LostEntries;
  log: Log;
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
