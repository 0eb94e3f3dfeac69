/** Requests at once in one process, as Lambda Managed Instances run the function. */
import { loadDirectly, loadGateway, type Request } from './load.ts';
import { inPasses } from './passes.ts';
import type { Point, Series } from './series.ts';
import type { World } from './world.ts';

const callers = [1, 4, 16, 64, 256];

/** Neighbours ask for answers of different lengths, 50 chunks on average, for different organizations. */
function requestOf(index: number): Pick<Request, 'chunks' | 'organization'> {
  return { chunks: 40 + (index % 21), organization: index % 16 };
}

export async function streamsAtOnce(world: World): Promise<Series> {
  return {
    title: 'Streams at once in one process: 50 chunks, 20 ms apart',
    what: 'At once',
    each: 'stream',
    isInRequest: false,
    points: await measure(world, {
      rounds: 1,
      request: (index) => ({ ...requestOf(index), stream: true, delayMs: 20, gapMs: 20 }),
    }),
  };
}

export async function answersAtOnce(world: World): Promise<Series> {
  return {
    title: 'Whole answers at once in one process; the provider takes 100 ms',
    what: 'At once',
    each: 'answer',
    isInRequest: false,
    points: await measure(world, {
      rounds: 7,
      request: (index) => ({ ...requestOf(index), stream: false, delayMs: 100, gapMs: 0 }),
    }),
  };
}

interface Traffic {
  /** Of each caller, in each pass. */
  rounds: number;
  request(index: number): Request;
}

async function measure(world: World, { rounds, request }: Traffic): Promise<Point[]> {
  const gateway = await world.startGateway();
  const atOnce = (index: number) => ({ ...request(index), delayMs: 0, gapMs: 0 });
  try {
    await loadGateway(world, gateway, { requests: 2000, callers: 16, request: atOnce });
    const measured = await inPasses(callers, async (n) => {
      const load = { requests: n * rounds, callers: n, request };
      const directMs = await loadDirectly(world, load);
      return { directMs, figures: await loadGateway(world, gateway, load) };
    });
    return callers.flatMap((n, place) => {
      const pass = measured[place];
      return pass === undefined ? [] : [{ n, name: String(n), ...pass }];
    });
  } finally {
    await gateway.stop();
  }
}
