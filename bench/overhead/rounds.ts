/** The same load for each contender in turn, round after round: what the machine does beside it is in all of them. */
import { percentile } from '../shared/percentile.ts';
import type { Contender, ContenderName } from './contenders.ts';
import { type Load, run, type Timings } from './load.ts';

export interface Measured {
  /** Milliseconds; of all rounds together. */
  timings: Timings;
  /** Microseconds of the contender's process for each request: the middle one of the rounds. */
  cpuMicros: number;
}

export type Results = Partial<Record<ContenderName, Measured>>;

/** How long a contender may go on with what its last answers have left: log writes, above all. */
const settleMs = 50;

export async function measureInTurn(contenders: Contender[], load: Load, rounds: number): Promise<Results> {
  const timings = new Map(contenders.map(({ name }) => [name, { total: [], firstByte: [] } as Timings]));
  const cpu = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, process, target } of contenders) {
      const before = await process.usage();
      const { total, firstByte } = await run(target, load);
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      const after = await process.usage();
      if (round === 0) continue;
      timings.get(name)?.total.push(...total);
      timings.get(name)?.firstByte.push(...firstByte);
      cpu.get(name)?.push((after.cpuMicros - before.cpuMicros) / load.requests);
    }
  }
  const results: Results = {};
  for (const { name } of contenders) {
    results[name] = {
      timings: timings.get(name) ?? { total: [], firstByte: [] },
      cpuMicros: percentile(cpu.get(name) ?? [], 0.5),
    };
  }
  return results;
}
