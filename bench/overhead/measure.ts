/** Everything that is measured of the contenders, under the loads that show it. */
import type { Contender, ContenderName, Contenders } from './contenders.ts';
import { run } from './load.ts';
import { measureInTurn, type Results } from './rounds.ts';

export interface Overheads {
  oneAtATime: Results;
  oneStream: Results;
  sixteenStreams: Results;
  /** Sixteen callers at once, who keep the process busy. */
  busy: Results;
  /** Microseconds for each chunk. */
  chunkApart: Figures;
  chunkAtOnce: Figures;
  memory: { idleBytes: Figures; peakBytes: Figures };
  awsCalls: { cold: number; warm: number };
}

export type Figures = Partial<Record<ContenderName, number>>;

const whole = { model: 'd0-c300-g0', stream: false };
const streamOf = (chunks: number, gapMs: number) => ({ model: `d0-c${chunks}-g${gapMs}`, stream: true });

export async function measureAll(contenders: Contenders, rounds: number): Promise<Overheads> {
  const { all } = contenders;
  const measure = (load: Parameters<typeof measureInTurn>[1], times = rounds) =>
    measureInTurn(all, load, times);
  const awsCalls = await countAwsCalls(contenders);
  const memory = await measureMemory(contenders);
  await warmUp(all);
  return {
    awsCalls,
    memory,
    oneAtATime: await measure({ ...whole, callers: 1, requests: 300 }),
    oneStream: await measure({ ...streamOf(10, 5), callers: 1, requests: 15 }),
    sixteenStreams: await measure({ ...streamOf(20, 5), callers: 16, requests: 160 }),
    busy: await measure({ ...whole, callers: 16, requests: 1000 }),
    chunkApart: slope(
      await measure({ ...streamOf(1, 5), callers: 16, requests: 160 }, 3),
      await measure({ ...streamOf(201, 5), callers: 16, requests: 32 }, 3),
      200,
    ),
    chunkAtOnce: slope(
      await measure({ ...streamOf(1, 0), callers: 4, requests: 160 }, 3),
      await measure({ ...streamOf(2001, 0), callers: 4, requests: 32 }, 3),
      2000,
    ),
  };
}

/** Until the compiler has seen enough: some thousand requests in, each still takes half as long again. */
async function warmUp(contenders: Contender[]): Promise<void> {
  for (const { target } of contenders) {
    await run(target, { ...whole, callers: 16, requests: 12_000 });
    await run(target, { ...streamOf(200, 1), callers: 16, requests: 160 });
  }
}

/** What is more for a stream with so many more chunks, by chunk. */
function slope(short: Results, long: Results, chunks: number): Figures {
  return eachOf(long, (name) => ((long[name]?.cpuMicros ?? 0) - (short[name]?.cpuMicros ?? 0)) / chunks);
}

export function eachOf(results: Results, figure: (name: ContenderName) => number): Figures {
  const names = Object.keys(results) as ContenderName[];
  return Object.fromEntries(names.map((name) => [name, figure(name)]));
}

/** Of processes that nobody has asked for anything; then while each streams 64 answers at once. */
async function measureMemory({ all, startGateway }: Contenders) {
  const idleBytes: Figures = {};
  const peakBytes: Figures = {};
  const fresh = all.map((contender) => (contender.name === 'gateway' ? startGateway() : contender));
  for (const contender of await Promise.all(fresh)) {
    if (contender.name === 'direct' || contender.name === 'overNetwork') continue;
    idleBytes[contender.name] = (await contender.process.usage()).rssBytes;
    await run(contender.target, { ...streamOf(100, 5), callers: 64, requests: 256 });
    peakBytes[contender.name] = (await contender.process.usage()).peakRssBytes;
  }
  return { idleBytes, peakBytes };
}

/** Before a provider is called: from the start of a process to its first answer, and for the next. */
async function countAwsCalls({ startGateway, aws }: Contenders) {
  const calls = [await callsOf(aws)];
  const gateway: Contender = await startGateway();
  for (let request = 0; request < 2; request++) {
    await run(gateway.target, { ...whole, callers: 1, requests: 1 });
    calls.push(await callsOf(aws));
  }
  const [before = 0, afterFirst = 0, afterSecond = 0] = calls;
  return { cold: afterFirst - before, warm: afterSecond - afterFirst };
}

/** All but writes, which come when the answer has ended. */
async function callsOf(aws: Contenders['aws']): Promise<number> {
  const { counts } = await aws.usage();
  return Object.entries(counts).reduce(
    (sum, [action, count]) => (action.endsWith('.PutItem') ? sum : sum + count),
    0,
  );
}
