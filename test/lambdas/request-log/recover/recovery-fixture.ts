/** Recovers entries from lines of a log into a table in memory. */
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { LogEntry, LogEntryWriter } from '#lambdas/request-log/entry.ts';
import { recoverLines } from '#lambdas/request-log/recover/recover-lines.ts';
import { type RecoveryCounts, zeroCounts } from '#lambdas/request-log/recover/restore-entry.ts';
import { unreachableClient } from '#test/support/dynamodb/unreachable-client.ts';

interface MemoryRecovery {
  counts: RecoveryCounts;
  /** By id. */
  restored: Map<string, LogEntry>;
}

/** All requests have ended. `stored` are the entries in the table before. */
export async function recoverInMemory(
  batches: readonly string[][],
  stored: readonly LogEntry[] = [],
): Promise<MemoryRecovery> {
  const table = new Map(stored.map((entry) => [entry.id, entry]));
  const send = async ({ input: { Key } }: { input: { Key: { id: string } } }) => {
    const entry = table.get(Key.id);
    return { Item: entry && { outcome: entry.outcome } };
  };
  const client = Object.create(createDocumentClient(await unreachableClient()), { send: { value: send } });
  const restored: MemoryRecovery['restored'] = new Map();
  const writer: LogEntryWriter = {
    async put(entry) {
      table.set(entry.id, entry);
      restored.set(entry.id, entry);
    },
  };
  const counts = { ...zeroCounts };
  await recoverLines({
    target: {
      logEntries: { client, tableName: 'LogEntries', now: () => new Date() },
      writer,
      retentionDays: 90,
      findPrice: async () => null,
      isDryRun: false,
    },
    source: (async function* () {
      yield* batches;
    })(),
    window: { startMs: 0, endMs: Number.POSITIVE_INFINITY },
    processHasExited: true,
    hasQueuedEntries: async () => false,
    job: { signal: new AbortController().signal, report: () => {} },
    counts,
  });
  return { counts, restored };
}
