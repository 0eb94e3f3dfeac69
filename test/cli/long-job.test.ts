import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgress, type LongJobOptions, runLongJob } from '#cli/long-job.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { createTerminalOutput } from '#lib/terminal-output.mjs';

describe('runLongJob', () => {
  let signals: EventEmitter;
  let written: string[];
  let options: LongJobOptions;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    signals = new EventEmitter();
    written = [];
    const errors = createTerminalOutput({ isTTY: true, write: (text) => written.push(text) });
    options = { signals, terminal: { errors, nowMs: Date.now } };
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('resolves to the result of the work and removes its signal handlers', async () => {
    const result = await runLongJob(async ({ report }) => {
      report('half of it');
      return 'done';
    }, options);

    expect(result).toBe('done');
    expect(written).toEqual(['\r\u001b[2Khalf of it', '\r\u001b[2K']);
    expect(signals.eventNames()).toEqual([]);
  });

  it('prints notes on separate lines', async () => {
    await runLongJob(async ({ report, note }) => {
      report('half of it');
      note('the other half is done');
      report('all of it');
    }, options);

    expect(written).toEqual([
      '\r\u001b[2Khalf of it',
      '\r\u001b[2K',
      'note: the other half is done\n',
      '\r\u001b[2Kall of it',
      '\r\u001b[2K',
    ]);
  });

  it.each(['SIGINT', 'SIGTERM'])(
    'stops at the next safe point after %s, even when the signal is repeated',
    async (name) => {
      const steps: string[] = [];
      const work = async ({ signal }: LongJob) => {
        signals.emit(name);
        signals.emit(name);
        steps.push('finished the step');
        signal.throwIfAborted();
        steps.push('not reached');
      };

      await expect(runLongJob(work, options)).rejects.toMatchObject({
        name: 'AdminError',
        message: 'Stopped: run the same command again to continue',
        exitCode: 130,
      });
      expect(steps).toEqual(['finished the step']);
      expect(written).toEqual(['Stopping at the next safe point ...\n']);
    },
  );

  it('explains how to continue when the job provides a hint', async () => {
    const resumeHint = () => 'continue with --from 2026-01-31T00:00:00.000Z';
    const stopped = runLongJob(
      async ({ wait }) => {
        signals.emit('SIGINT');
        await wait(60_000, 'waiting');
      },
      { ...options, resumeHint },
    );

    await expect(stopped).rejects.toThrow('Stopped: continue with --from 2026-01-31T00:00:00.000Z');
  });

  it('rethrows a failure and returns a result unchanged after a signal', async () => {
    const failure = new Error('broken');
    const failing = runLongJob(async () => {
      signals.emit('SIGINT');
      throw failure;
    }, options);
    const finishing = runLongJob(async () => {
      signals.emit('SIGINT');
      return 'done';
    }, options);

    await expect(failing).rejects.toBe(failure);
    expect(await finishing).toBe('done');
  });

  it('reports the remaining time while it waits', async () => {
    await runLongJob(async ({ wait }) => {
      const waiting = wait(10, 'waiting for readers');
      vi.setSystemTime(Date.now() + 10);
      await waiting;
    }, options);

    expect(written).toEqual(['\r\u001b[2Kwaiting for readers: 1 s left', '\r\u001b[2K']);
  });
});

function progressOn(terminal: { isTTY?: boolean; columns?: number }) {
  const written: string[] = [];
  const clock = { ms: 1_000_000 };
  const output = createTerminalOutput({ ...terminal, write: (text) => written.push(text) });
  const progress = createProgress(output, () => clock.ms);
  return { written, clock, progress };
}

describe('createProgress', () => {
  it('overwrites one terminal line at most once a second and clears it at the end', () => {
    const { written, clock, progress } = progressOn({ isTTY: true, columns: 10 });

    for (const text of ['first', 'too soon', 'as long as the terminal is wide']) {
      progress.report(text);
      clock.ms += 500;
    }
    progress.clear();
    progress.clear();

    expect(written).toEqual(['\r\u001b[2Kfirst', '\r\u001b[2Kas long a', '\r\u001b[2K']);
  });

  it('overwrites the line also when it has control characters', () => {
    const { written, progress } = progressOn({ isTTY: true, columns: 20 });

    progress.report('"\r\u001b[2J": 3 of 4');

    expect(written).toEqual(['\r\u001b[2K"\\u000d\\u001b[2J": ']);
  });

  it('prints a line every five seconds without a terminal', () => {
    const { written, clock, progress } = progressOn({});

    for (let second = 0; second <= 12; second++) {
      progress.report(`second ${second}`);
      clock.ms += 1000;
    }
    progress.clear();

    expect(written).toEqual(['second 5\n', 'second 10\n']);
  });
});
