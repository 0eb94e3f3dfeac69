/** That the set-up of each test file sees what is printed: one that saw nothing would find nothing. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { findLeaks } from './find-leaks.ts';
import { notePrivate, whatWasWritten } from './written.ts';

/** What was written since, where and what. */
async function written(write: () => unknown): Promise<{ place: string; text: string }[]> {
  const before = whatWasWritten().writings.length;
  await write();
  return whatWasWritten().writings.slice(before);
}

describe('the output of a test', () => {
  it('is seen when it is of the console, whose methods a test has replaced', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    expect(
      await written(() => {
        console.error('one', { two: 2 });
        console.log('three');
      }),
    ).toEqual([
      { place: 'console.error', text: 'one {"two":2}' },
      { place: 'console.log', text: 'three' },
    ]);
    expect([error.mock.calls, log.mock.calls]).toEqual([[['one', { two: 2 }]], [['three']]]);
    expect(console.error).toHaveBeenCalledTimes(1);
    vi.restoreAllMocks();
  });

  it('is seen when it goes to the streams of the process', async () => {
    const lines = await written(() => {
      process.stdout.write('');
      process.stderr.write(Buffer.from(''));
    });
    expect(lines.map(({ place }) => place)).toEqual(['process.stdout', 'process.stderr']);
  });

  it('is seen when a process prints it, and still reaches who reads that', async () => {
    const run = async () => {
      const child = spawn(process.execPath, ['-e', 'console.log("out"); console.error("err")']);
      expect(await Promise.all([text(child.stdout), text(child.stderr)])).toEqual(['out\n', 'err\n']);
    };
    const lines = await written(run);
    expect(lines.sort((one, other) => (one.text < other.text ? -1 : 1))).toEqual([
      { place: 'stderr of a process', text: 'err\n' },
      { place: 'stdout of a process', text: 'out\n' },
    ]);
  });
});

describe('what is said in a request', () => {
  it('is known from then on, in any protocol, and found where it was written', () => {
    notePrivate('{"messages":[{"role":"user","content":"Tell me everything"}]}');
    notePrivate(Buffer.from('data: {"candidates":[{"content":{"parts":[{"text":"All of it, then'));
    const { secrets } = whatWasWritten();
    expect(secrets.map(({ text }) => text)).toEqual(['Tell me everything', 'All of it, then']);
    const line = { place: 'a line', text: '{"event":"x","body":"All of it, then"}' };
    expect(findLeaks([line], secrets)).toEqual(['what was said ("All of it, then…") in a line']);
  });
});
