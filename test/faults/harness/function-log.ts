/** Collects the log lines from which entries can be recovered, as CloudWatch Logs would. */
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';

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
  return {
    add(line) {
      const correlationIds = line.includes('"request_forwarded"')
        ? forwarded
        : line.includes('"log_entry_not_written"')
          ? notWritten
          : null;
      if (correlationIds === null) return;
      lines.push(line);
      correlationIds.add(correlationIdIn(line));
    },
    forwarded: forwarded,
    notWritten,
    lines,
    clear() {
      forwarded.clear();
      notWritten.clear();
      lines.length = 0;
    },
  };
}

/** The correlation id is the entry's session id. */
function correlationIdIn(line: string): string {
  const value = parseJson(line.slice(line.indexOf('{')));
  const entry = isJsonObject(value) ? value.entry : undefined;
  return isJsonObject(entry) ? String(entry.session_id) : '';
}
