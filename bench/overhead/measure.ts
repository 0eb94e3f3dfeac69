/** Measures latency, CPU time and memory of the implementations, each under a suitable load. */
import type { Environment } from '../harness/environment.ts';
import {
  compare,
  type Implementation,
  type ImplementationName,
  type Load,
  type Results,
  runLoad,
  startGateway,
} from './implementations.ts';

export interface Overheads {
  sequential: Results;
  oneStream: Results;
  sixteenStreams: Results;
  saturated: Results;
  spacedChunkMicros: Figures;
  idleBytes: Figures;
  peakBytes: Figures;
}

export type Figures = Partial<Record<ImplementationName, number>>;

export const completion = { stream: false, chunks: 300 };
export const streamOf = (chunks: number, gapMs: number) => ({ stream: true, chunks, gapMs });

export async function measureOverheads(
  environment: Environment,
  implementations: readonly Implementation[],
  rounds: number,
): Promise<Overheads> {
  const measure = (load: Load, times = rounds) => compare(environment, implementations, load, times);
  const memory = await measureMemory(environment, implementations);
  await warmUp(environment, implementations);
  return {
    ...memory,
    sequential: await measure({ ...completion, concurrency: 1, requests: 300 }),
    oneStream: await measure({ ...streamOf(10, 5), concurrency: 1, requests: 15 }),
    sixteenStreams: await measure({ ...streamOf(20, 5), concurrency: 16, requests: 160 }),
    saturated: await measure({ ...completion, concurrency: 16, requests: 1000 }),
    spacedChunkMicros: perChunk(
      await measure({ ...streamOf(1, 5), concurrency: 16, requests: 160 }, 3),
      await measure({ ...streamOf(201, 5), concurrency: 16, requests: 32 }, 3),
      200,
    ),
  };
}

/** V8 needs thousands of requests to optimize the code; until then, each takes about 50 % longer. */
export async function warmUp(
  environment: Environment,
  implementations: readonly Implementation[],
  model?: string,
): Promise<void> {
  const short = { ...completion, model, concurrency: 16, requests: 12_000 };
  const stream = { ...streamOf(200, 1), model, concurrency: 16, requests: 160 };
  for (const implementation of implementations) {
    await runLoad(environment, implementation, short);
    await runLoad(environment, implementation, stream);
  }
}

/** CPU time per additional chunk: `long` streams have `chunks` more of them than `short` ones. */
function perChunk(short: Results, long: Results, chunks: number): Figures {
  return figuresOf(long, (name) => ((long[name]?.cpuMicros ?? 0) - (short[name]?.cpuMicros ?? 0)) / chunks);
}

export function figuresOf(results: Results, figure: (name: ImplementationName) => number): Figures {
  const names = Object.keys(results) as ImplementationName[];
  return Object.fromEntries(names.map((name) => [name, figure(name)]));
}

/** Measures resident memory of new processes before their first request, then its peak with 64 concurrent streams. */
async function measureMemory(environment: Environment, implementations: readonly Implementation[]) {
  const idleBytes: Figures = {};
  const peakBytes: Figures = {};
  const others = implementations.filter(({ name }) => name === 'baseline' || name === 'competitor');
  for (const implementation of [await startGateway(environment), ...others]) {
    idleBytes[implementation.name] = (await implementation.process.usage()).rssBytes;
    await runLoad(environment, implementation, { ...streamOf(100, 5), concurrency: 64, requests: 256 });
    peakBytes[implementation.name] = (await implementation.process.usage()).peakRssBytes;
  }
  return { idleBytes, peakBytes };
}
