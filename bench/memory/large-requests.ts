/** Requests up to the largest that a function takes, and how much memory that needs. */
import { percentile } from '../shared/percentile.ts';
import { askDirectly, startEnvironment } from './environment.ts';
import type { World } from './world.ts';

export interface LargeRequest {
  name: string;
  bytes: number;
  words?: string;
}

const mebibyte = 1024 * 1024;

export const largeRequests: LargeRequest[] = [
  { name: '1 kB', bytes: 1000 },
  { name: '1 MB', bytes: mebibyte },
  { name: '6 MB', bytes: 6 * mebibyte },
  // V8 keeps a text with one such character in two bytes for each.
  { name: '6 MB with typographic quotes', bytes: 6 * mebibyte, words: 'He said “tell me more”. ' },
];

export interface LargeRequestCost {
  /** The middle one, without the first, above what the provider takes. */
  addedMs: number;
  /** The highest of all. */
  peakRssMb: number;
  survived: boolean;
}

export const unmeasured: LargeRequestCost = { addedMs: Number.NaN, peakRssMb: Number.NaN, survived: false };

/** Each in an environment of its own, which is gone when Node finds that its heap is too small. */
export async function measureLargeRequest(
  world: World,
  { memoryMb, request, times }: { memoryMb: number; request: LargeRequest; times: number },
): Promise<LargeRequestCost> {
  const options = { manner: 'd20-c50-g0', stream: false, bytes: request.bytes, words: request.words };
  const environment = await startEnvironment(world, memoryMb);
  try {
    const direct: number[] = [];
    const through: number[] = [];
    await environment.ask(options);
    for (let time = 0; time < times; time += 1) {
      direct.push((await askDirectly(world, options)).totalMs);
      through.push((await environment.ask(options)).totalMs);
    }
    const { peakRssBytes } = await environment.usage();
    const addedMs = percentile(through, 0.5) - percentile(direct, 0.5);
    return { addedMs, peakRssMb: peakRssBytes / mebibyte, survived: true };
  } catch (error) {
    if (!isGone(error)) throw error;
    return unmeasured;
  } finally {
    await environment.stop();
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}
