import { describe, expect, it } from 'vitest';
import { combine, inPasses } from '#bench/scale/passes.ts';

const pass = (number: number) => ({
  directMs: [number],
  figures: {
    totalMs: [10 * number],
    cpuMicrosEach: number,
    rssMb: 100 * number,
    wrongAnswers: number,
    wrongEntries: 2 * number,
  },
});

describe('passes', () => {
  it('have the least time of the processor, all waiting, all mistakes, and the memory of the end', () => {
    expect(combine([pass(3), pass(1), pass(2)])).toEqual({
      directMs: [3, 1, 2],
      figures: { totalMs: [30, 10, 20], cpuMicrosEach: 1, rssMb: 200, wrongAnswers: 6, wrongEntries: 12 },
    });
  });

  it('go through all steps before they begin again', async () => {
    const order: number[] = [];
    const measured = await inPasses([1, 2], async (step) => {
      order.push(step);
      return pass(step);
    });

    expect(order).toEqual([1, 2, 1, 2, 1, 2]);
    expect(measured.map(({ directMs }) => directMs)).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
  });
});
