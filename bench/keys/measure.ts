/** Rows of the tables: what a call, or the work of a function, has used. */
import { fullCpuMemoryMb } from '#lib/functions/limits.ts';
import { markdownTable } from '../harness/figures.ts';
import { usdOf } from './dynamodb-times.ts';
import type { SimulatedTime, Usage } from './simulated-time.ts';

export interface Measurement {
  name: string;
  usage: Usage;
  /** The memory of the function, on which its share of a processor depends. */
  memoryMb: number;
}

/** The function `Organizations`. */
const organizationsMemoryMb = fullCpuMemoryMb;

/** Not measured: a warm function has compiled its code. */
const warmUps = 1;
const repetitions = 3;

/** The one with the median of the processor time. The work must change nothing. */
export async function measureRead(
  time: SimulatedTime,
  name: string,
  work: () => Promise<unknown>,
  memoryMb = organizationsMemoryMb,
): Promise<Measurement> {
  const usages: Usage[] = [];
  for (let run = 0; run < warmUps + repetitions; run++) usages.push((await time.run(work)).usage);
  const sorted = usages.slice(warmUps).sort((one, other) => one.cpuMs - other.cpuMs);
  const usage = sorted[Math.floor(repetitions / 2)];
  if (usage === undefined) throw new Error('Nothing was measured');
  return logged({ name, usage, memoryMb });
}

export async function measureChange(
  time: SimulatedTime,
  name: string,
  work: () => Promise<unknown>,
  memoryMb = organizationsMemoryMb,
): Promise<Measurement> {
  return logged({ name, usage: (await time.run(work)).usage, memoryMb });
}

function logged(measurement: Measurement): Measurement {
  process.stderr.write(`${measurement.name}: ${Math.round(awsMs(measurement))} ms\n`);
  return measurement;
}

/** Computed for AWS: the time of DynamoDB and waits, and the processor time with the function's share of one. */
export function awsMs({ usage, memoryMb }: Measurement): number {
  return usage.simulatedMs + usage.cpuMs / Math.min(1, memoryMb / fullCpuMemoryMb);
}

export function usageTable(title: string, measurements: readonly Measurement[]): string {
  const rows = measurements.map((measurement) => {
    const { usage } = measurement;
    return [
      measurement.name,
      usage.calls,
      usage.rounds,
      usage.items,
      usage.receivedBytes / 1000,
      usage.readUnits,
      usage.writeUnits,
      `${(usdOf(usage) * 1000).toLocaleString('en', { maximumSignificantDigits: 2 })}`,
      Math.round(usage.measuredMs),
      Math.round(usage.cpuMs),
      Math.round(usage.simulatedMs),
      (awsMs(measurement) / 1000).toFixed(2),
    ];
  });
  const headings = [
    '',
    'Calls',
    'In sequence',
    'Items',
    'kB',
    'Read units',
    'Write units',
    'Dollars for 1,000',
    'On the engine, ms',
    'Processor, ms',
    'On DynamoDB, ms',
    'Computed for AWS, s',
  ];
  return markdownTable(title, headings, rows);
}
