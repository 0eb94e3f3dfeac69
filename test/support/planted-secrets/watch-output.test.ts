/** Checks that the setup file records output and finds secrets: otherwise it would pass whatever is printed. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { recordLogLines } from '../record-log-lines.ts';
import { findLeaks } from './find-leaks.ts';
import { readRecording, recordContent } from './output-recorder.ts';

const secret = { name: 'the prompt', text: 'Canary "prompt" é 1f2e' };

it.each([
  ['as plain text', `before ${secret.text} after`],
  ['as JSON', JSON.stringify({ content: secret.text })],
  ['in a URL', `https://host/?q=${encodeURIComponent(secret.text)}`],
  ['in hexadecimal', Buffer.from(`x${secret.text}y`).toString('hex')],
  ...['', 'a', 'ab'].map((before): [string, string] => [
    `in base64 after ${JSON.stringify(before)}`,
    Buffer.from(`${before}${secret.text}and more`).toString('base64'),
  ]),
])('findLeaks finds a secret %s', (_case, written) => {
  expect(findLeaks([{ place: 'here', text: written }], [secret])).toEqual(['the prompt in here']);
});

it('findLeaks finds keys by their format, with the place of each', () => {
  const texts = [
    `pt_live_${'a'.repeat(32)}`,
    'pt_live_short, task-1, Canary prompt',
    'sk-upstream',
    '"sk-proj-1"',
  ];
  expect(
    findLeaks(
      texts.map((it, index) => ({ place: `line ${index}`, text: it })),
      [secret],
    ),
  ).toEqual(['a key of the gateway in line 0', "a provider's key in line 2", "a provider's key in line 3"]);
});

it('records and still prints the output of the console, the process and its children', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  console.error('one', { two: 2 });
  process.stderr.write(Buffer.from(''));
  const child = spawn(process.execPath, ['-e', 'console.log("out"); console.error("err")']);
  const printed = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect([error.mock.calls, printed]).toEqual([[['one', { two: 2 }]], ['out\n', 'err\n']]);
  expect(new Set(readRecording().writtenTexts)).toEqual(
    new Set([
      { place: 'console.error', text: 'one {"two":2}' },
      { place: 'process.stderr', text: '' },
      { place: 'stdout of a process', text: 'out\n' },
      { place: 'stderr of a process', text: 'err\n' },
    ]),
  );
});

it("records the lines of the functions' log, whether a test intercepts them or not", () => {
  const lineOf = (event: string) => `{"timestamp":"2026","level":"INFO","event":"${event}"}\n`;
  process.stdout.write(lineOf('not intercepted'));
  const lines = recordLogLines();
  process.stdout.write(lineOf('intercepted'));
  expect(lines).toEqual([{ level: 'INFO', event: 'intercepted' }]);
  const recorded = readRecording().writtenTexts.map((written) => written.text);
  expect(recorded).toEqual(expect.arrayContaining(['not intercepted', 'intercepted'].map(lineOf)));
});

it('treats the content of requests and responses as secret in every protocol', () => {
  recordContent('{"messages":[{"role":"user","content":"Tell me everything"}]}');
  recordContent(Buffer.from('data: {"candidates":[{"content":{"parts":[{"text":"All of it, then'));
  expect(readRecording().secrets.map((it) => it.text)).toEqual(['Tell me everything', 'All of it, then']);
});
