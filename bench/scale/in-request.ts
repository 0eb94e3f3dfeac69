/** What grows in a request: its body, and the chunks of its answer. */
import { type Load, loadDirectly, loadGateway, type Request } from './load.ts';
import { inPasses } from './passes.ts';
import type { Point, Series } from './series.ts';
import type { World } from './world.ts';

const mebibyte = 1024 * 1024;

interface Size {
  n: number;
  name: string;
  /** In each pass. */
  requests: number;
  callers: number;
  request: Request;
}

const plain = { stream: false, delayMs: 0, gapMs: 0, chunks: 50, organization: 0 };

export async function bodySizes(world: World): Promise<Series> {
  const size = (bytes: number, name: string, requests: number): Size => ({
    n: bytes / 1000,
    name,
    requests,
    callers: 1,
    request: { ...plain, bytes },
  });
  const sizes = [
    size(1000, '1 kB', 300),
    size(10_000, '10 kB', 300),
    size(100_000, '100 kB', 150),
    size(mebibyte, '1 MB', 40),
    size(3 * mebibyte, '3 MB', 20),
    size(6 * mebibyte, '6 MB', 12),
  ];
  return {
    title: 'The size of the request, whole answers, one at a time',
    what: 'Request',
    each: 'kB of the request',
    isInRequest: true,
    points: await measure(world, sizes),
  };
}

export async function chunkCounts(world: World): Promise<Series> {
  const counts = [1, 10, 100, 1000, 10_000];
  const sizes = counts.map((chunks) => ({
    n: chunks,
    name: chunks.toLocaleString('en'),
    requests: Math.min(300, Math.max(6, 20_000 / chunks)),
    callers: 1,
    request: { ...plain, stream: true, chunks },
  }));
  return {
    title: 'The chunks of an answer, as fast as they are read, one at a time',
    what: 'Chunks',
    each: 'chunk',
    isInRequest: true,
    points: await measure(world, sizes),
  };
}

export async function spacedChunkCounts(world: World): Promise<Series> {
  const counts = [1, 10, 100, 1000];
  const sizes = counts.map((chunks) => ({
    n: chunks,
    name: chunks.toLocaleString('en'),
    requests: chunks === 1000 ? 16 : 48,
    callers: 16,
    request: { ...plain, stream: true, chunks, gapMs: 3 },
  }));
  return {
    title: 'The chunks of an answer, 3 ms apart, 16 at once',
    what: 'Chunks',
    each: 'chunk',
    isInRequest: true,
    points: await measure(world, sizes),
  };
}

/** All in one process, which has had as many of each size before. */
async function measure(world: World, sizes: readonly Size[]): Promise<Point[]> {
  const gateway = await world.startGateway();
  try {
    for (const size of sizes) await loadGateway(world, gateway, loadOf(size));
    const measured = await inPasses(sizes, async (size) => ({
      directMs: await loadDirectly(world, loadOf(size)),
      figures: await loadGateway(world, gateway, loadOf(size)),
    }));
    return sizes.flatMap(({ n, name }, place) => {
      const pass = measured[place];
      return pass === undefined ? [] : [{ n, name, ...pass }];
    });
  } finally {
    await gateway.stop();
  }
}

function loadOf({ requests, callers, request }: Size): Load {
  return { requests, callers, request: () => request };
}
