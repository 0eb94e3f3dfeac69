/** A log group, the tables in the embedded DynamoDB, and runs of the recovery at any time. */
import { createRestoredEntryWriter } from '#lambdas/costs/restored-entries.ts';
import {
  type RecoveryDependencies,
  recoverRequests,
} from '#lambdas/maintenance/recover-requests/recover-requests.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import type { EmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { collectLogLines, type LogLine, withoutCommonFields } from '#test/support/log-lines.ts';

const pageLines = 3;

export interface RecoveryFixture {
  dependencies: RecoveryDependencies;
  /** Logs the placeholder when the request is received, and its entry when it ends, if it does. */
  logRequest(request: { receivedMs: number; completedMs?: number }): LoggedRequest;
  /** The clock has this time during the run. Resolves to the lines that it printed. */
  run(atMs: number, options?: RunOptions): Promise<LogLine[]>;
}

export interface LoggedRequest {
  placeholder: LogEntry;
  complete: LogEntry;
}

export interface RunOptions {
  /** Aborts the run when it has read this many pages. */
  maxPages?: number;
  changes?: Partial<RecoveryDependencies>;
}

export async function createRecoveryFixture({
  client,
  documentClient,
}: EmbeddedDynamoDB): Promise<RecoveryFixture> {
  const [logEntries, costRollups] = await Promise.all([
    createTable(client, 'LogEntries', { key: ['organization_shard', 'id'] }),
    createTable(client, 'CostRollups', { key: ['pk', 'sk'] }),
  ]);
  const printed: { atMs: number; text: string }[] = [];
  let nowMs = 0;

  const print = (atMs: number, event: string, entry: LogEntry) => {
    const line = { timestamp: new Date(atMs).toISOString(), event, entry: serializeLogEntry(entry) };
    printed.push({ atMs, text: JSON.stringify(line) });
    printed.sort((one, other) => one.atMs - other.atMs);
  };

  const tables = {
    logEntries: { client: documentClient, tableName: logEntries.name, now: () => new Date(nowMs) },
    costRollups: { client: documentClient, tableName: costRollups.name },
  };
  const dependencies: RecoveryDependencies = {
    target: {
      logEntries: tables.logEntries,
      writer: createRestoredEntryWriter(tables, 90),
      retentionDays: 90,
      findPrice: async () => null,
      isDryRun: false,
    },
    costRollups: tables.costRollups,
    async *readLogLines({ startMs, endMs }) {
      const lines = printed.filter(({ atMs }) => atMs >= startMs && atMs < endMs && atMs <= nowMs);
      for (let index = 0; index <= lines.length; index += pageLines)
        yield lines.slice(index, index + pageLines).map(({ text }) => text);
    },
    countQueuedEntries: async () => 0,
    countDeadLetters: async () => 0,
    logRetentionDays: 30,
    log: collectLogLines(() => {}),
  };

  return {
    dependencies,
    logRequest({ receivedMs, completedMs }) {
      const complete = logEntry({ id: createLogId(receivedMs) });
      const placeholder: LogEntry = {
        ...complete,
        status: 502,
        outcome: 'interrupted',
        error_code: 'interrupted',
        usage_source: 'missing',
        cost_usd: '0',
      };
      print(receivedMs + 1, 'request_forwarded', placeholder);
      if (completedMs !== undefined) print(completedMs, 'request_completed', complete);
      return { placeholder, complete };
    },
    async run(atMs, { maxPages = Number.POSITIVE_INFINITY, changes = {} } = {}) {
      nowMs = atMs;
      const lines: LogLine[] = [];
      const controller = new AbortController();
      let pages = 0;
      await recoverRequests(
        {
          ...dependencies,
          async *readLogLines(window) {
            for await (const page of dependencies.readLogLines(window)) {
              if (++pages > maxPages) controller.abort();
              yield page;
            }
          },
          log: collectLogLines((line) => lines.push(withoutCommonFields(JSON.parse(line)))),
          ...changes,
        },
        { atMs, signal: controller.signal },
      );
      return lines;
    },
  };
}
