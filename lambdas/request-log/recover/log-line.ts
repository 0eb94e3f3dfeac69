import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry } from '../entry.ts';
import { parseLogEntry } from '../entry-json.ts';

/** Yields batches of lines in the order in which they were printed. */
export type LogSource = AsyncIterable<string[]>;

/**
 * The log events with entries: the placeholder of a request that is about to be sent to its provider, and the entry of a
 * request that has ended.
 */
export const entryEvents = ['request_forwarded', 'request_completed'] as const;

/** Selects the lines with these events in CloudWatch Logs. */
export const entryFilterPattern = entryEvents.map((event) => `?"${event}"`).join(' ');

export type EntryEvent = (typeof entryEvents)[number];

export interface EntryLine {
  event: EntryEvent;
  entry: LogEntry;
}

export function isPlaceholder({ event }: EntryLine): boolean {
  return event === 'request_forwarded';
}

/**
 * Returns `null` for a line without an entry and `unreadable` for a line whose entry is invalid. Text before the first
 * brace is a prefix, such as that of `aws logs tail`.
 */
export function readLogLine(line: string): EntryLine | 'unreadable' | null {
  const printed = parseObjectIn(line);
  if (printed === null) return entryEvents.some((event) => line.includes(event)) ? 'unreadable' : null;
  const event = entryEvents.find((name) => name === printed.event);
  if (event === undefined) return null;
  try {
    return { event, entry: parseLogEntry(printed.entry) };
  } catch {
    return 'unreadable';
  }
}

function parseObjectIn(text: string): JsonObject | null {
  const start = text.indexOf('{');
  return start === -1 ? null : parseJsonObject(text.slice(start));
}
