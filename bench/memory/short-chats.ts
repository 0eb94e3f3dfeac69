/** The first request of an environment, and many short ones after it, in turn with the same asked of the provider itself. */
import type { Answered } from '../shared/chat-client.ts';
import { percentile } from '../shared/percentile.ts';
import { askDirectly, type Environment, startEnvironment } from './environment.ts';
import type { World } from './world.ts';

/** The provider takes 20 ms, so that no request finds the quota of the one before used up. */
const whole = { manner: 'd20-c50-g0', stream: false };
const streamed = { manner: 'd20-c3-g0', stream: true };

/** Of fresh environments: the middle one. */
export async function firstRequestMs(world: World, memoryMb: number, starts: number): Promise<number> {
  const times: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const environment = await startEnvironment(world, memoryMb);
    const { totalMs } = await environment.ask(whole);
    times.push(totalMs);
    await environment.stop();
  }
  return percentile(times, 0.5);
}

export interface Added {
  p50: number;
  p99: number;
}

export interface ShortChats {
  added: Added;
  firstTokenAdded: Added;
  cpuMs: number;
  afterAnswerMs: number;
}

export async function measureShortChats(
  world: World,
  environments: readonly Environment[],
  rounds: number,
): Promise<ShortChats[]> {
  await inTurn(world, environments, { request: streamed, rounds: Math.ceil(rounds / 4) });
  await inTurn(world, environments, { request: whole, rounds: Math.ceil(rounds / 4) });
  const before = await Promise.all(environments.map(readCosts));
  const wholes = await inTurn(world, environments, { request: whole, rounds });
  const after = await Promise.all(environments.map(readCosts));
  const streams = await inTurn(world, environments, { request: streamed, rounds });
  return environments.map((_, place) => ({
    added: addedBy(wholes, place, ({ totalMs }) => totalMs),
    firstTokenAdded: addedBy(streams, place, ({ firstMs }) => firstMs),
    cpuMs: ((after[place]?.cpuMs ?? 0) - (before[place]?.cpuMs ?? 0)) / rounds,
    afterAnswerMs: ((after[place]?.afterAnswerMs ?? 0) - (before[place]?.afterAnswerMs ?? 0)) / rounds,
  }));
}

interface Rounds {
  direct: Answered[];
  /** Of each environment. */
  through: Answered[][];
}

async function inTurn(
  world: World,
  environments: readonly Environment[],
  { request, rounds }: { request: typeof whole; rounds: number },
): Promise<Rounds> {
  const direct: Answered[] = [];
  const through = environments.map((): Answered[] => []);
  for (let round = 0; round < rounds; round += 1) {
    direct.push(await askDirectly(world, request));
    for (const [place, environment] of environments.entries()) {
      through[place]?.push(await environment.ask(request));
    }
  }
  return { direct, through };
}

/** The differences of the percentiles, not the percentiles of differences: whoever waits sees the sum. */
function addedBy({ direct, through }: Rounds, place: number, msOf: (answered: Answered) => number): Added {
  const added = (share: number) =>
    percentile((through[place] ?? []).map(msOf), share) - percentile(direct.map(msOf), share);
  return { p50: added(0.5), p99: added(0.99) };
}

async function readCosts(environment: Environment) {
  const { cpuMicros, counts } = await environment.usage();
  return { cpuMs: cpuMicros / 1000, afterAnswerMs: (counts.afterAnswerMicros ?? 0) / 1000 };
}
