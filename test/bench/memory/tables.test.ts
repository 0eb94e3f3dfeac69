import { describe, expect, it } from 'vitest';
import { billTable, largeRequestCell } from '#bench/memory/tables.ts';

describe("the memory study's tables", () => {
  it('say where a request needs more memory than there is', () => {
    const cost = { addedMs: 12.4, peakRssMb: 129, survived: true };

    expect(largeRequestCell(cost, 129)).toBe('12 ms, 129 MB');
    expect(largeRequestCell(cost, 128)).toBe('12 ms, 129 MB: **too much**');
    expect(largeRequestCell({ ...cost, survived: false }, 256)).toBe('**does not fit**');
  });

  it('price what the gateway adds like the chat itself', () => {
    const table = billTable([
      {
        memoryMb: 128,
        firstMs: 600,
        added: { p50: 20, p99: 40 },
        firstTokenAdded: { p50: 1, p99: 2 },
        cpuMs: 1,
        afterAnswerMs: 30,
        longStream: { laterMs: 1, cpuMs: 1 },
      },
    ]);

    // 8.33 dollars of 5 seconds, of which 50 ms are a hundredth.
    expect(table.split('\n').at(-2)).toBe('| 128 MB | 8.33 | 30 | 0.08 |');
  });
});
