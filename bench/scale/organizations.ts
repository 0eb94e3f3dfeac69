/** Organizations with a key each, in one process that keeps what it knows of them for a while. */
import { loadGateway, type Request } from './load.ts';
import type { Point, Series } from './series.ts';
import type { World } from './world.ts';

const counts = [1, 10, 100, 1000, 10_000];
const atOnce = 4;
const fewestRequests = 4000;
/** Of the organization that the process gets warm with. */
const another = 1_000_000;

const request = (organization: number): Request => ({
  stream: false,
  delayMs: 0,
  gapMs: 0,
  chunks: 10,
  organization,
});

export interface OrganizationSeries {
  /** The first request of each, whose key has to be read. Of few, there is nothing to measure. */
  unknown: Series;
  known: Series;
}

/** A process for each number, so that none has the memory of another. */
export async function organizations(world: World): Promise<OrganizationSeries> {
  const unknown: Point[] = [];
  const known: Point[] = [];
  for (const n of counts) {
    const points = await measure(world, n);
    if (n >= 100) unknown.push(points.unknown);
    known.push(points.known);
  }
  const series = { what: 'Organizations', each: 'request', isInRequest: false };
  return {
    unknown: { ...series, title: 'Organizations: the first request of each', points: unknown },
    known: { ...series, title: 'Organizations: the requests that follow', points: known },
  };
}

async function measure(world: World, n: number): Promise<{ unknown: Point; known: Point }> {
  const gateway = await world.startGateway();
  const load = { callers: atOnce, requests: Math.max(n, fewestRequests) };
  const name = n.toLocaleString('en');
  try {
    await loadGateway(world, gateway, {
      ...load,
      requests: fewestRequests / 2,
      request: () => request(another),
    });
    const first = await loadGateway(world, gateway, { ...load, requests: n, request });
    const later = await loadGateway(world, gateway, { ...load, request: (index) => request(index % n) });
    return {
      unknown: { n, name, figures: first, directMs: null },
      known: { n, name, figures: later, directMs: null },
    };
  } finally {
    await gateway.stop();
  }
}
