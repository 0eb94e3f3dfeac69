/** Many requests, so many at once: each caller asks again as soon as it has its answer. */
import { chatBody } from '../shared/chat-body.ts';
import { type Expected, isAsAsked } from './answer-check.ts';
import { callerHeaders, type Gateway, type World } from './world.ts';

export interface Request extends Expected {
  delayMs: number;
  gapMs: number;
  bytes?: number;
  organization: number;
}

export interface Load {
  requests: number;
  callers: number;
  /** The request with this number. */
  request(index: number): Request;
}

export interface LoadFigures {
  totalMs: number[];
  /** Of the gateway. */
  cpuMicrosEach: number;
  rssMb: number;
  /** Answers that were not what was asked for, or not whole. */
  wrongAnswers: number;
  /** Entries that are missing, there twice, of another organization, or with tokens of others. */
  wrongEntries: number;
}

export async function loadGateway(world: World, gateway: Gateway, load: Load): Promise<LoadFigures> {
  const before = await world.written(0);
  const cpuBefore = (await gateway.usage()).cpuMicros;
  const answers = await closedLoop(world, gateway.url, load);
  const after = await world.written((before.entries ?? 0) + load.requests);
  const { cpuMicros, rssBytes } = await gateway.usage();
  return {
    ...answers,
    cpuMicrosEach: (cpuMicros - cpuBefore) / load.requests,
    rssMb: rssBytes / 1e6,
    wrongEntries: wrongEntries(before, after, load),
  };
}

/** The same of the provider: how long each took. */
export async function loadDirectly(world: World, load: Load): Promise<number[]> {
  const { totalMs } = await closedLoop(world, world.directUrl, load);
  return totalMs;
}

async function closedLoop({ client }: World, url: string, { requests, callers, request }: Load) {
  const totalMs: number[] = [];
  let wrongAnswers = 0;
  let next = 0;
  const bodyOf = keepBodies();
  const call = async () => {
    for (let index = next++; index < requests; index = next++) {
      const asked = request(index);
      const body = bodyOf(asked);
      const answer = await client.ask({ url, body, headers: callerHeaders(asked.organization) });
      if (!isAsAsked(answer, asked)) wrongAnswers += 1;
      totalMs.push(answer.totalMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return { totalMs, wrongAnswers };
}

/** Each is written once, since that of a large one takes longer than the request. */
function keepBodies(): (request: Request) => Buffer {
  const bodies = new Map<string, Buffer>();
  return ({ delayMs, chunks, gapMs, stream, bytes }) => {
    const manner = `d${delayMs}-c${chunks}-g${gapMs}`;
    const body = bodies.get(manner) ?? chatBody({ manner, stream, bytes });
    bodies.set(manner, body);
    return body;
  };
}

type Counts = Record<string, number>;

function wrongEntries(before: Counts, after: Counts, { requests, request }: Load): number {
  const added = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
  const tokens = Array.from({ length: requests }, (_, index) => request(index).chunks);
  const expected = tokens.reduce((sum, chunks) => sum + chunks, 0);
  const missing = Math.abs(requests - added('entries'));
  return missing + added('again') + added('misplaced') + (added('outputTokens') === expected ? 0 : 1);
}
