/** What the functions printed of entries, as it would be in CloudWatch Logs. */
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';

export interface FunctionLog {
  add(line: string): void;
  /** Marks of the requests that were announced before they were sent. */
  announced: ReadonlySet<string>;
  /** Marks of the requests whose entry is nowhere but in the log. */
  notWritten: ReadonlySet<string>;
  /** The lines of both kinds. */
  lines: readonly string[];
  clear(): void;
}

export function createFunctionLog(): FunctionLog {
  const announced = new Set<string>();
  const notWritten = new Set<string>();
  const lines: string[] = [];
  return {
    add(line) {
      const marks = line.includes('"request_forwarded"')
        ? announced
        : line.includes('"log_entry_not_written"')
          ? notWritten
          : null;
      if (marks === null) return;
      lines.push(line);
      marks.add(markOf(line));
    },
    announced,
    notWritten,
    lines,
    clear() {
      announced.clear();
      notWritten.clear();
      lines.length = 0;
    },
  };
}

/** The mark is the session of the line's entry. */
function markOf(line: string): string {
  const value = parseJson(line.slice(line.indexOf('{')));
  const entry = isJsonObject(value) ? value.entry : undefined;
  return isJsonObject(entry) ? String(entry.session_id) : '';
}
