import { describe, expect, it } from 'vitest';
import { memoryTable, slopePerHour } from './memory-table.ts';

const minuteMs = 60_000;

describe('the table of a soak', () => {
  it('shows where memory was, and the slope once the function was warm', () => {
    const samples = [40, 90, 60, 61, 62].map((megabytes, index) => ({
      atMs: 1_795_132_800_000 + index * 5 * minuteMs,
      megabytes,
    }));
    expect(
      memoryTable({ byProcess: new Map([['Chat (7)', samples]]) }),
    ).toBe(`### Memory of the functions (MB)

| Function | Start | After a quarter | End | Highest | Slope from then on, per hour |
| --- | ---: | ---: | ---: | ---: | ---: |
| Chat (7) | 40 | 90 | 62 | 90 | -99.6 |
`);
  });

  it('has no slope where memory is as it was', () => {
    const flat = [0, 10, 20].map((minute) => ({ atMs: minute * minuteMs, megabytes: 80 }));
    expect(slopePerHour(flat)).toBe(0);
  });

  it('has the slope of what grows evenly', () => {
    const growing = [0, 10, 20].map((minute) => ({ atMs: minute * minuteMs, megabytes: 80 + minute / 10 }));
    expect(slopePerHour(growing)).toBeCloseTo(6, 6);
  });
});
