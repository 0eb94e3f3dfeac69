/** Renders the samples as a table. The slope, measured after the warm-up, shows whether memory is flat. */
import { markdownTable } from '#bench/harness/figures.ts';
import type { MemorySample, MemorySamples } from './memory-samples.ts';

const hourMs = 3_600_000;

/** The share of the run in which code is compiled and caches fill. */
const warmUpShare = 0.25;

export function memoryTable({ byProcess }: Pick<MemorySamples, 'byProcess'>): string {
  const rows = [...byProcess].map(([process, samples]) => [process, ...toFigures(samples)]);
  return markdownTable(
    'Memory of the functions (MB)',
    ['Function', 'Start', 'After a quarter', 'End', 'Maximum', 'Slope after a quarter, per hour'],
    rows,
  );
}

function toFigures(samples: readonly MemorySample[]): number[] {
  const [startedAtMs, endedAtMs] = [samples.at(0)?.atMs ?? 0, samples.at(-1)?.atMs ?? 0];
  const warm = samples.filter(({ atMs }) => atMs - startedAtMs >= warmUpShare * (endedAtMs - startedAtMs));
  const megabytes = samples.map((sample) => sample.megabytes);
  return [
    megabytes.at(0) ?? Number.NaN,
    warm[0]?.megabytes ?? Number.NaN,
    megabytes.at(-1) ?? Number.NaN,
    Math.max(...megabytes),
    slopePerHour(warm),
  ];
}

/** Returns the slope of the least-squares line in megabytes, or `NaN` when there are too few samples. */
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
