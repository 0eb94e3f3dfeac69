/** What is measured of the implementations, each under the load that shows it. */
import { type Environment, startEnvironment } from '../harness/environment.ts';
import {
  compare,
  type Implementation,
  type ImplementationName,
  type Load,
  type Results,
  run,
  startGateway,
} from './implementations.ts';

export interface Overheads {
  oneAtATime: Results;
  oneStream: Results;
  sixteenStreams: Results;
  /** Sixteen callers, who keep the process busy. */
  busy: Results;
  /** CPU time for each chunk. */
  spacedChunkMicros: Figures;
  fastChunkMicros: Figures;
  idleBytes: Figures;
  peakBytes: Figures;
  /** Before the provider is called. */
  awsCalls: { cold: number; warm: number };
}

export type Figures = Partial<Record<ImplementationName, number>>;

const completion = { stream: false, chunks: 300 };
const streamOf = (chunks: number, gapMs: number) => ({ stream: true, chunks, gapMs });

export async function measureOverheads(
  environment: Environment,
  implementations: readonly Implementation[],
  rounds: number,
): Promise<Overheads> {
  const measure = (load: Load, times = rounds) => compare(environment, implementations, load, times);
  const awsCalls = await countAwsCalls();
  const memory = await measureMemory(environment, implementations);
  await warmUp(environment, implementations);
  return {
    awsCalls,
    ...memory,
    oneAtATime: await measure({ ...completion, callers: 1, requests: 300 }),
    oneStream: await measure({ ...streamOf(10, 5), callers: 1, requests: 15 }),
    sixteenStreams: await measure({ ...streamOf(20, 5), callers: 16, requests: 160 }),
    busy: await measure({ ...completion, callers: 16, requests: 1000 }),
    spacedChunkMicros: perChunk(
      await measure({ ...streamOf(1, 5), callers: 16, requests: 160 }, 3),
      await measure({ ...streamOf(201, 5), callers: 16, requests: 32 }, 3),
      200,
    ),
    fastChunkMicros: perChunk(
      await measure({ ...streamOf(1, 0), callers: 4, requests: 160 }, 3),
      await measure({ ...streamOf(2001, 0), callers: 4, requests: 32 }, 3),
      2000,
    ),
  };
}

/** Thousands of requests, until V8 has optimized the code: before, each takes half as long again. */
async function warmUp(environment: Environment, implementations: readonly Implementation[]): Promise<void> {
  for (const implementation of implementations) {
    await run(environment, implementation, { ...completion, callers: 16, requests: 12_000 });
    await run(environment, implementation, { ...streamOf(200, 1), callers: 16, requests: 160 });
  }
}

/** The CPU time that streams with so many more chunks take more. */
function perChunk(short: Results, long: Results, chunks: number): Figures {
  return figuresOf(long, (name) => ((long[name]?.cpuMicros ?? 0) - (short[name]?.cpuMicros ?? 0)) / chunks);
}

export function figuresOf(results: Results, figure: (name: ImplementationName) => number): Figures {
  const names = Object.keys(results) as ImplementationName[];
  return Object.fromEntries(names.map((name) => [name, figure(name)]));
}

/** Resident memory of processes without requests so far, then at its highest with 64 streams at once. */
async function measureMemory(environment: Environment, implementations: readonly Implementation[]) {
  const idleBytes: Figures = {};
  const peakBytes: Figures = {};
  const others = implementations.filter(({ name }) => name === 'baseline' || name === 'competitor');
  for (const implementation of [await startGateway(environment), ...others]) {
    idleBytes[implementation.name] = (await implementation.process.usage()).rssBytes;
    await run(environment, implementation, { ...streamOf(100, 5), callers: 64, requests: 256 });
    peakBytes[implementation.name] = (await implementation.process.usage()).peakRssBytes;
  }
  return { idleBytes, peakBytes };
}

/** From the start of a process to its first response, and for the next one. Needs AWS services that nobody else calls. */
async function countAwsCalls() {
  const environment = await startEnvironment();
  try {
    const gateway = await startGateway(environment);
    await run(environment, gateway, { ...completion, callers: 1, requests: 1 });
    const cold = await callsOf(environment);
    await run(environment, gateway, { ...completion, callers: 1, requests: 1 });
    return { cold, warm: (await callsOf(environment)) - cold };
  } finally {
    await environment.stop();
  }
}

/** Without writes, which follow the response. */
async function callsOf({ aws }: Environment): Promise<number> {
  const { counts } = await aws.usage();
  const reads = Object.entries(counts).filter(([action]) => !action.endsWith('.PutItem'));
  return reads.reduce((sum, [, count]) => sum + count, 0);
}
