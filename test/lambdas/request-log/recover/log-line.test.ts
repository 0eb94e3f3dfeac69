import { describe, expect, it } from 'vitest';
import { entryText } from '#lambdas/request-log/entry-json.ts';
import { readLogLine } from '#lambdas/request-log/recover/log-line.ts';
import { logEntry } from '#test/support/log-entries.ts';

const entry = logEntry({ outcome: 'interrupted', user_id: 'Ada {"event":"request_forwarded"} \u2028 😀' });
const lost = { level: 'ERROR', event: 'log_entry_not_written', entry: entryText(entry) };
const forwarded = { level: 'INFO', event: 'request_forwarded', entry: entryText(entry) };
const text = JSON.stringify(lost);
const wrapped = (message: unknown) =>
  JSON.stringify({ timestamp: '2026-01-31T09:30:05.000Z', level: 'ERROR', requestId: 'r', message });

describe('a line of the log', () => {
  it.each([
    ['as it was printed', text],
    ['of a local run', `[ChatFunctionB2F2C5AE] ${text}`],
    ['of "aws logs tail"', `2026-01-31T09:30:05.000000+00:00 2026/01/31/[$LATEST]0a1b ${text}`],
    ['in the text format of Lambda', `2026-01-31T09:30:05.000Z\t0a1b-2c\tERROR\t${text}\r`],
    ['wrapped by Lambda as text', wrapped(text)],
    ['wrapped by Lambda as text with a line end', wrapped(`${text}\n`)],
    ['wrapped by Lambda as an object', wrapped(lost)],
    ['wrapped by Lambda, of a local run', `[Chat] ${wrapped(text)}`],
  ])('has its entry %s', (_, line) => {
    expect(readLogLine(line)).toEqual({ kind: 'lost', entry });
  });

  it('tells an entry that was lost from a request that was sent', () => {
    expect(readLogLine(JSON.stringify(forwarded))).toEqual({ kind: 'forwarded', entry });
  });

  it.each([
    ['nothing', ''],
    ['text', 'START RequestId: 0a1b Version: $LATEST'],
    ['other JSON', '{"level":"ERROR","event":"unreadable_record"}'],
    ['what is no JSON', '[Chat] {not json}'],
    ['a list', '[{}]'],
    ['no message', wrapped(null)],
    ['the words of another line', wrapped('nobody heard of it')],
    ['another line that quotes one', JSON.stringify({ event: 'other', message: text })],
    ['another line that has one in it', JSON.stringify({ event: 'other', message: lost })],
    ['a line that is wrapped twice', wrapped(wrapped(text))],
  ])('has no entry where it is %s', (_, line) => {
    expect(readLogLine(line)).toBeNull();
  });

  it.each([
    ['was cut off', text.slice(0, -1)],
    ['has no entry', JSON.stringify({ event: 'log_entry_not_written' })],
    ['has another entry', JSON.stringify({ ...lost, entry: { ...entryText(entry), id: '1' } })],
  ])('is damaged where it %s', (_, line) => {
    expect(readLogLine(line)).toBe('damaged');
  });
});
