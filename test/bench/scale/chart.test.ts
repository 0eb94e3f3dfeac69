import { describe, expect, it } from 'vitest';
import { barChart } from '#bench/scale/chart.ts';

const lengths = (chart: string) => chart.split('\n').map((line) => line.replace(/[^█]/g, '').length);

describe('a bar chart', () => {
  it('has bars as long as their values, beside their names', () => {
    const chart = barChart('Milliseconds', [
      { name: '1', value: 100 },
      { name: '10', value: 50 },
    ]);

    expect(chart).toBe(
      `\`\`\`text\nMilliseconds\n 1 ${'█'.repeat(50)} 100\n10 ${'█'.repeat(25)} 50\n\`\`\`\n`,
    );
  });

  it('shows values that are far apart by their logarithms, and says so', () => {
    const chart = barChart('Bytes', [
      { name: 'a', value: 100_000 },
      { name: 'b', value: 1000 },
      { name: 'c', value: 20 },
    ]);

    expect(chart).toContain('Bytes (logarithmic)');
    expect(lengths(chart)).toEqual([0, 0, 50, 25, 4, 0, 0]);
  });

  it('leaves every value a bar, a power of ten too', () => {
    const chart = barChart('Bytes', [
      { name: 'a', value: 1000 },
      { name: 'b', value: 10 },
    ]);

    expect(lengths(chart)).toEqual([0, 0, 50, 17, 0, 0]);
  });
});
