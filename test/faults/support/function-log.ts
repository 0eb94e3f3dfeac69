/** Collects the log lines from which entries can be recovered, as CloudWatch Logs would. */
import { isJsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';

export interface FunctionLog {
  add(line: string): void;
  /** Correlation ids of `request_forwarded` events, which are logged before the request is sent. */
  forwarded: ReadonlySet<string>;
  /** Correlation ids of `log_entry_not_written` events: these entries are only in the log. */
  notWritten: ReadonlySet<string>;
  lines: readonly string[];
  clear(): void;
}

export function createFunctionLog(): FunctionLog {
  const forwarded = new Set<string>();
  const notWritten = new Set<string>();
  const lines: string[] = [];
  /** Keys are ids of entries. */
  const correlationIds = new Map<unknown, string>();
  return {
    add(line) {
      if (!/"(request_forwarded|request_completed|log_entry_not_written)"/.test(line)) return;
      lines.push(line);
      const { event, log_id: logId, entry } = parseJsonObject(line.slice(line.indexOf('{'))) ?? {};
      // The correlation id is the entry's session id.
      if (isJsonObject(entry)) correlationIds.set(logId, String(entry.session_id));
      const correlationId = correlationIds.get(logId) ?? '';
      if (event === 'request_forwarded') forwarded.add(correlationId);
      if (event === 'log_entry_not_written') notWritten.add(correlationId);
    },
    forwarded,
    notWritten,
    lines,
    clear() {
      forwarded.clear();
      notWritten.clear();
      correlationIds.clear();
      lines.length = 0;
    },
  };
}
