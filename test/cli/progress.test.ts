import { describe, expect, it } from 'vitest';
import { createProgress } from '#cli/progress.ts';

function progressOn(terminal: { isTTY?: boolean; columns?: number }) {
  const written: string[] = [];
  const clock = { ms: 1_000_000 };
  const progress = createProgress({ ...terminal, write: (text) => written.push(text) }, () => clock.ms);
  return { written, clock, progress };
}

describe('progress', () => {
  it('rewrites one line of a terminal at most once a second, and leaves it clean', () => {
    const { written, clock, progress } = progressOn({ isTTY: true, columns: 10 });

    for (const text of ['first', 'too soon', 'as long as the terminal is wide']) {
      progress.report(text);
      clock.ms += 500;
    }
    progress.end();
    progress.end();

    expect(written).toEqual(['\r\u001b[2Kfirst', '\r\u001b[2Kas long a', '\r\u001b[2K']);
  });

  it('writes a plain line every five seconds where there is no terminal, and none before', () => {
    const { written, clock, progress } = progressOn({});

    for (let second = 0; second <= 12; second++) {
      progress.report(`second ${second}`);
      clock.ms += 1000;
    }
    progress.end();

    expect(written).toEqual(['second 5\n', 'second 10\n']);
  });
});
