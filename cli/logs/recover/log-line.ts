/** Log entries in lines of the chat function's log. */
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { readEntryText } from '#lambdas/request-log/entry-json.ts';

/** Which lines have entries: one that could be written nowhere else, and one of a request that had been sent. */
const kinds = { log_entry_not_written: 'lost', request_forwarded: 'forwarded' } as const;

export const entryEvents = Object.keys(kinds);

export interface EntryLine {
  kind: (typeof kinds)[keyof typeof kinds];
  entry: LogEntry;
}

/**
 * `null` for a line without an entry; `damaged` for one that should have one which cannot be read.
 *
 * What stands before the first brace is somebody's prefix. Lambda wraps what a function prints into an object of its own,
 * as text or as the object that it was.
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

/** Only what has no event of its own is Lambda's: a message within one of our lines may quote a caller. */
function unwrapped(printed: JsonObject): JsonObject {
  const { event, message } = printed;
  if (event !== undefined) return printed;
  if (isJsonObject(message)) return message;
  return (typeof message === 'string' ? objectIn(message) : null) ?? printed;
}
