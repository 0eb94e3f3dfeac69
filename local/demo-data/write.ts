/** Writes log entries through the real store, and waits until the gateway's rollup function has counted them. */
import { setTimeout as delay } from 'node:timers/promises';
import { findCountedUntil, findRollupState } from '#lambdas/costs/rollups/state.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { LogEntry, LogEntryWriter, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import type { LocalTables } from './gateway.ts';

type Tables = Pick<LocalTables, 'logEntries' | 'costRollups' | 'entryRetentionDays'>;

const concurrency = 16;

/** Writes those that are not there, and returns their number. `onWritten` is called after each. */
export async function writeEntries(
  { logEntries, entryRetentionDays }: Tables,
  entries: readonly LogEntry[],
  onWritten: (written: number, total: number) => void,
): Promise<number> {
  const writer = createSdkLogEntryWriter(logEntries, entryRetentionDays);
  const stored = await storedAmong(logEntries, entries);
  const missing = entries.filter(({ id }) => !stored.has(id));
  let written = 0;
  const put = async (entry: LogEntry) => {
    await putWithRetries(writer, entry);
    written += 1;
    onWritten(written, missing.length);
  };
  await forEachConcurrently(missing.slice(0, -1), concurrency, put);
  // The last one alone, so that all others are before it in the stream.
  await forEachConcurrently(missing.slice(-1), 1, put);
  return written;
}

const maxAttempts = 10;

/** Retries after timeouts, which happen on a busy machine. Writing an entry again that has arrived does not change it. */
async function putWithRetries(writer: LogEntryWriter, entry: LogEntry): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await writer.put(entry);
      return;
    } catch (error) {
      if (attempt === maxAttempts || !isTimeout(error)) throw error;
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}

const pollMs = 250;

/** Resolves when everything that was written has been counted: the stream's records are counted in order. */
export async function waitUntilCounted(
  { logEntries, costRollups }: Tables,
  entries: readonly LogEntry[],
): Promise<void> {
  const stored = await storedAmong(logEntries, entries);
  const last = [...stored.values()].reduce<StoredLogEntry | null>(
    (latest, other) => (latest !== null && latest.writtenAtMs > other.writtenAtMs ? latest : other),
    null,
  );
  if (last === null) return;
  for (;;) {
    const state = await findRollupState(costRollups, last.entry.organization_id);
    if ((await findCountedUntil(costRollups, state, last)) !== null) return;
    await delay(pollMs);
  }
}

/** By id. The entries must be sorted by it, and are all in the first write shard. */
async function storedAmong(
  logEntries: Tables['logEntries'],
  entries: readonly LogEntry[],
): Promise<Map<string, StoredLogEntry>> {
  const stored = new Map<string, StoredLogEntry>();
  const [first, last] = [entries.at(0), entries.at(-1)];
  if (first === undefined || last === undefined) return stored;
  const ids = new Set(entries.map(({ id }) => id));
  const window = { startMs: timestampOfLogId(first.id), endMs: timestampOfLogId(last.id) + 1 };
  const range = { organizationId: first.organization_id, shard: 0, window };
  for await (const page of readLogEntryPages(logEntries, range)) {
    for (const found of page) if (ids.has(found.entry.id)) stored.set(found.entry.id, found);
  }
  return stored;
}
