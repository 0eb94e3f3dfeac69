import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStartProgress } from '#local/start-progress.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

describe('The progress of the start', () => {
  it('shows each step with the seconds since the start, and again while it still runs', () => {
    const lines: string[] = [];
    const progress = createStartProgress((line) => lines.push(line), Date.now);
    vi.advanceTimersByTime(400);
    progress.begin('Synthesizing the stack');
    vi.advanceTimersByTime(21_000);
    progress.begin('Creating tables and queues');
    progress.end();
    vi.advanceTimersByTime(60_000);

    expect(lines).toEqual([
      '  0 s  Synthesizing the stack',
      ' 10 s  Synthesizing the stack, still running',
      ' 20 s  Synthesizing the stack, still running',
      ' 21 s  Creating tables and queues',
    ]);
  });
});
