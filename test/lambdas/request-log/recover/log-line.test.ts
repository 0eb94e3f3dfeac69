import { describe, expect, it } from 'vitest';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { entryEvents, readLogLine } from '#lambdas/request-log/recover/log-line.ts';
import { logEntry } from '#test/support/log-entries.ts';

const entry = logEntry({ outcome: 'interrupted', user_id: 'Ada {"event":"request_forwarded"} \u2028 😀' });
const lineOf = (event: string) => ({
  timestamp: '2026-01-31T09:30:05.000Z',
  level: 'INFO',
  event,
  request_id: '0a1b-2c',
  log_id: entry.id,
  entry: serializeLogEntry(entry),
});
const completed = lineOf('request_completed');
const text = JSON.stringify(completed);

describe('readLogLine', () => {
  it.each([
    ['a line without a prefix', text],
    ['a line with a line break', `${text}\n`],
    ['a line of a local run', `[ChatFunctionB2F2C5AE] ${text}`],
    ['a line of "aws logs tail"', `2026-01-31T09:30:05.000000+00:00 2026/01/31/[$LATEST]0a1b ${text}`],
    ["a line in Lambda's text format", `2026-01-31T09:30:05.000Z\t0a1b-2c\tERROR\t${text}\r`],
  ])('reads the entry from %s', (_, line) => {
    expect(readLogLine(line)).toEqual([{ event: 'request_completed', entry, isPlaceholder: false }]);
  });

  it.each(entryEvents)('reads the entry from the event %s', (event) => {
    const isPlaceholder = event === 'request_forwarded';
    expect(readLogLine(JSON.stringify(lineOf(event)))).toEqual([{ event, entry, isPlaceholder }]);
  });

  it('reads the entry of the attempt that ended before the request was sent to another target', () => {
    const superseded = logEntry({ route: 'fast', attempt: 1, superseded_by: entry.id });
    const attempt = { log_id: superseded.id, entry: serializeLogEntry(superseded) };
    const event = 'request_forwarded';

    expect(readLogLine(JSON.stringify({ ...lineOf(event), attempt }))).toEqual([
      { event, entry: superseded, isPlaceholder: false },
      { event, entry, isPlaceholder: true },
    ]);
    expect(readLogLine(JSON.stringify({ ...lineOf(event), attempt: { entry: {} } }))).toBe('unreadable');
  });

  it.each([
    ['an empty line', ''],
    ['text', 'START RequestId: 0a1b Version: $LATEST'],
    ['another event', '{"level":"ERROR","event":"unreadable_record"}'],
    ['invalid JSON', '[Chat] {not json}'],
    ['a list', '[{}]'],
    ['another event that quotes an entry as text', JSON.stringify({ event: 'other', message: text })],
    ['another event that contains an entry', JSON.stringify({ event: 'other', message: completed })],
    ['an object without an event that quotes an entry as text', JSON.stringify({ message: text })],
  ])('returns no entry for %s', (_, line) => {
    expect(readLogLine(line)).toEqual([]);
  });

  it.each([
    ['a truncated line', text.slice(0, -1)],
    ['a missing entry', JSON.stringify({ event: 'request_completed' })],
    ['an invalid entry', JSON.stringify({ ...completed, entry: { ...serializeLogEntry(entry), id: '1' } })],
  ])('returns unreadable for %s', (_, line) => {
    expect(readLogLine(line)).toBe('unreadable');
  });
});
