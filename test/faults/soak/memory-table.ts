/** The samples as a table: whether memory is flat shows in the slope, which a warm-up has no part in. */
import { markdownTable } from '#bench/harness/figures.ts';
import type { MemorySample, MemorySamples } from './memory-samples.ts';

const hourMs = 3_600_000;

/** Of the time: what code takes to be compiled, and caches to fill. */
const warmUpShare = 0.25;

export function memoryTable({ byProcess }: Pick<MemorySamples, 'byProcess'>): string {
  const rows = [...byProcess].map(([process, samples]) => [process, ...figuresOf(samples)]);
  return markdownTable(
    'Memory of the functions (MB)',
    ['Function', 'Start', 'After a quarter', 'End', 'Highest', 'Slope from then on, per hour'],
    rows,
  );
}

function figuresOf(samples: readonly MemorySample[]): number[] {
  const [begunAt, endedAt] = [samples.at(0)?.atMs ?? 0, samples.at(-1)?.atMs ?? 0];
  const warm = samples.filter(({ atMs }) => atMs - begunAt >= warmUpShare * (endedAt - begunAt));
  const megabytes = samples.map((sample) => sample.megabytes);
  return [
    megabytes.at(0) ?? Number.NaN,
    warm[0]?.megabytes ?? Number.NaN,
    megabytes.at(-1) ?? Number.NaN,
    Math.max(...megabytes),
    slopePerHour(warm),
  ];
}

/** Of the line that lies closest to the samples, by least squares; not a number where there are too few. */
export function slopePerHour(samples: readonly MemorySample[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const hours = samples.map(({ atMs }) => atMs / hourMs);
  const [meanHour, meanMegabytes] = [mean(hours), mean(samples.map(({ megabytes }) => megabytes))];
  let [covariance, variance] = [0, 0];
  for (const { atMs, megabytes } of samples) {
    const distance = atMs / hourMs - meanHour;
    covariance += distance * (megabytes - meanMegabytes);
    variance += distance ** 2;
  }
  return covariance / variance;
}
