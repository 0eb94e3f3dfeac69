/** An answer of 300 chunks, one every 20 ms, which is about what a chat of six seconds is. */
import { percentile } from '../shared/percentile.ts';
import type { Environment } from './environment.ts';
import type { World } from './world.ts';

const leastChunks = 300;

export interface LongStream {
  /** How much later the caller has the end than it came from the provider. */
  laterMs: number;
  cpuMs: number;
}

/**
 * In all environments at once: together they take a few hundredths of a processor. Each has an answer of another length, by
 * which its end is found again.
 */
export async function measureLongStream(
  world: World,
  environments: readonly Environment[],
  rounds: number,
): Promise<LongStream[]> {
  const before = await cpuMsOf(environments);
  const later = environments.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [place, laterMs] of (await streamOnce(world, environments)).entries()) {
      later[place]?.push(laterMs);
    }
  }
  const after = await cpuMsOf(environments);
  return environments.map((_, place) => ({
    laterMs: percentile(later[place] ?? [], 0.5),
    cpuMs: ((after[place] ?? 0) - (before[place] ?? 0)) / rounds,
  }));
}

async function streamOnce(world: World, environments: readonly Environment[]): Promise<number[]> {
  const answers = await Promise.all(
    environments.map((environment, place) =>
      environment.ask({ manner: `d0-c${leastChunks + place}-g20`, stream: true }),
    ),
  );
  const overAtMs = await world.overAtMs();
  return answers.map(({ endedAtMs }, place) => endedAtMs - (overAtMs[leastChunks + place] ?? 0));
}

async function cpuMsOf(environments: readonly Environment[]): Promise<number[]> {
  const usages = await Promise.all(environments.map((environment) => environment.usage()));
  return usages.map(({ cpuMicros }) => cpuMicros / 1000);
}
