import { describe, expect, it } from 'vitest';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { readLogLine } from '#lambdas/request-log/recover/log-line.ts';
import { logEntry } from '#test/support/log-entries.ts';

const entry = logEntry({ outcome: 'interrupted', user_id: 'Ada {"event":"request_forwarded"} \u2028 😀' });
const lost = { level: 'ERROR', event: 'log_entry_not_written', entry: serializeLogEntry(entry) };
const forwarded = { level: 'INFO', event: 'request_forwarded', entry: serializeLogEntry(entry) };
const text = JSON.stringify(lost);
const wrapped = (message: unknown) =>
  JSON.stringify({ timestamp: '2026-01-31T09:30:05.000Z', level: 'ERROR', requestId: 'r', message });

describe('readLogLine', () => {
  it.each([
    ['a line without a prefix', text],
    ['a line of a local run', `[ChatFunctionB2F2C5AE] ${text}`],
    ['a line of "aws logs tail"', `2026-01-31T09:30:05.000000+00:00 2026/01/31/[$LATEST]0a1b ${text}`],
    ["a line in Lambda's text format", `2026-01-31T09:30:05.000Z\t0a1b-2c\tERROR\t${text}\r`],
    ["a string in Lambda's JSON format", wrapped(text)],
    ["a string with a line break in Lambda's JSON format", wrapped(`${text}\n`)],
    ["an object in Lambda's JSON format", wrapped(lost)],
    ["a line of a local run in Lambda's JSON format", `[Chat] ${wrapped(text)}`],
  ])('reads the entry from %s', (_, line) => {
    expect(readLogLine(line)).toEqual({ kind: 'lost', entry });
  });

  it('distinguishes lost entries from forwarded requests', () => {
    expect(readLogLine(JSON.stringify(forwarded))).toEqual({ kind: 'forwarded', entry });
  });

  it.each([
    ['an empty line', ''],
    ['text', 'START RequestId: 0a1b Version: $LATEST'],
    ['another event', '{"level":"ERROR","event":"unreadable_record"}'],
    ['invalid JSON', '[Chat] {not json}'],
    ['a list', '[{}]'],
    ['a null message', wrapped(null)],
    ['another message', wrapped('nobody heard of it')],
    ['another event that quotes an entry as text', JSON.stringify({ event: 'other', message: text })],
    ['another event that contains an entry', JSON.stringify({ event: 'other', message: lost })],
    ['a line that is wrapped twice', wrapped(wrapped(text))],
  ])('returns null for %s', (_, line) => {
    expect(readLogLine(line)).toBeNull();
  });

  it.each([
    ['a truncated line', text.slice(0, -1)],
    ['a missing entry', JSON.stringify({ event: 'log_entry_not_written' })],
    ['an invalid entry', JSON.stringify({ ...lost, entry: { ...serializeLogEntry(entry), id: '1' } })],
  ])('returns unreadable for %s', (_, line) => {
    expect(readLogLine(line)).toBe('unreadable');
  });
});
