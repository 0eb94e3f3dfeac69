/** Log entries in lines of the chat function's log. */
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry } from '../entry.ts';
import { readEntryText } from '../entry-json.ts';

export interface LogLine {
  text: string;
  /** When it was printed; `null` when that is unknown. */
  atMs: number | null;
}

/** Batches of lines in the order in which they were printed. */
export type LogSource = AsyncIterable<LogLine[]>;

/** The events whose lines have entries: one that could be written nowhere else, and one of a request that was sent. */
const kinds = { log_entry_not_written: 'lost', request_forwarded: 'forwarded' } as const;

export const entryEvents = Object.keys(kinds);

export interface EntryLine {
  kind: (typeof kinds)[keyof typeof kinds];
  entry: LogEntry;
}

/**
 * `null` for a line without an entry; `damaged` for one whose entry cannot be read.
 *
 * Text before the first brace is a prefix, such as that of `aws logs tail`. Lambda wraps what a function prints into an
 * object of its own, as text or as an object.
 */
export function readLogLine(line: string): EntryLine | 'damaged' | null {
  const printed = objectIn(line);
  if (printed === null) return entryEvents.some((event) => line.includes(event)) ? 'damaged' : null;
  const { event, entry } = unwrapped(printed);
  const kind = Object.entries(kinds).find(([name]) => name === event)?.[1];
  if (kind === undefined) return null;
  try {
    return { kind, entry: readEntryText(entry) };
  } catch {
    return 'damaged';
  }
}

function objectIn(text: string): JsonObject | null {
  const start = text.indexOf('{');
  return start === -1 ? null : parseJsonObject(text.slice(start));
}

/** An object without an event is Lambda's. The message of a line of the gateway may quote a caller, so it is not parsed. */
function unwrapped(printed: JsonObject): JsonObject {
  const { event, message } = printed;
  if (event !== undefined) return printed;
  if (isJsonObject(message)) return message;
  return (typeof message === 'string' ? objectIn(message) : null) ?? printed;
}
