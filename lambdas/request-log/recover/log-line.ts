import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry } from '../entry.ts';
import { parseLogEntry } from '../entry-json.ts';

/** Yields batches of lines in the order in which they were printed. */
export type LogSource = AsyncIterable<string[]>;

/**
 * The log events with entries: the placeholder of a request that is about to be sent to its provider, with the entry of the
 * attempt before it, if there was one, and the entry of a request that has ended.
 */
export const entryEvents = ['request_forwarded', 'request_completed'] as const;

/** Selects the lines with these events in CloudWatch Logs. */
export const entryFilterPattern = entryEvents.map((event) => `?"${event}"`).join(' ');

export type EntryEvent = (typeof entryEvents)[number];

export interface LoggedEntry {
  event: EntryEvent;
  entry: LogEntry;
  /** Whether how the request will end was not known. */
  isPlaceholder: boolean;
}

/**
 * Returns the entries of the line: none for one of another event, and `unreadable` if one of them is invalid. Text before the first
 * brace is a prefix, such as that of `aws logs tail`.
 */
export function readLogLine(line: string): LoggedEntry[] | 'unreadable' {
  const printed = parseObjectIn(line);
  if (printed === null) return entryEvents.some((event) => line.includes(event)) ? 'unreadable' : [];
  const event = entryEvents.find((name) => name === printed.event);
  if (event === undefined) return [];
  const { entry, attempt } = printed;
  try {
    return [
      ...(isJsonObject(attempt)
        ? [{ event, entry: parseLogEntry(attempt.entry), isPlaceholder: false }]
        : []),
      { event, entry: parseLogEntry(entry), isPlaceholder: event === 'request_forwarded' },
    ];
  } catch {
    return 'unreadable';
  }
}

function parseObjectIn(text: string): JsonObject | null {
  const start = text.indexOf('{');
  return start === -1 ? null : parseJsonObject(text.slice(start));
}
