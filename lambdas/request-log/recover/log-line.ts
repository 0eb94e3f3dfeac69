import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry } from '../entry.ts';
import { parseLogEntry } from '../entry-json.ts';

export interface LogLine {
  text: string;
  /** The print time; `null` when unknown. */
  atMs: number | null;
}

/** Yields batches of lines in the order in which they were printed. */
export type LogSource = AsyncIterable<LogLine[]>;

/**
 * The log events with entries: an entry that could be written neither to the table nor to the queue, and the
 * placeholder of a request that was sent to its provider.
 */
const kinds = { log_entry_not_written: 'lost', request_forwarded: 'forwarded' } as const;

export const entryEvents = Object.keys(kinds);

export interface EntryLine {
  kind: (typeof kinds)[keyof typeof kinds];
  entry: LogEntry;
}

/**
 * Returns `null` for a line without an entry and `unreadable` for a line whose entry is invalid.
 *
 * Text before the first brace is a prefix, such as that of `aws logs tail`. Lambda may wrap a printed line in an object
 * with the property `message`, as a string or as an object.
 */
export function readLogLine(line: string): EntryLine | 'unreadable' | null {
  const printed = parseObjectIn(line);
  if (printed === null) return entryEvents.some((event) => line.includes(event)) ? 'unreadable' : null;
  const { event, entry } = unwrap(printed);
  const kind = Object.entries(kinds).find(([name]) => name === event)?.[1];
  if (kind === undefined) return null;
  try {
    return { kind, entry: parseLogEntry(entry) };
  } catch {
    return 'unreadable';
  }
}

function parseObjectIn(text: string): JsonObject | null {
  const start = text.indexOf('{');
  return start === -1 ? null : parseJsonObject(text.slice(start));
}

/**
 * An object without `event` is Lambda's wrapper. The `message` of the gateway's own lines may quote a caller: not
 * parsed.
 */
function unwrap(printed: JsonObject): JsonObject {
  const { event, message } = printed;
  if (event !== undefined) return printed;
  if (isJsonObject(message)) return message;
  return (typeof message === 'string' ? parseObjectIn(message) : null) ?? printed;
}
