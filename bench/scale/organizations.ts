/** Organizations with a key each, in a process that keeps what it knows of them for a while. */
import { loadGateway, type Request } from './load.ts';
import { inPasses, type Pass } from './passes.ts';
import type { Series } from './series.ts';
import type { World } from './world.ts';

const counts = [1, 10, 100, 1000, 10_000];
/** Of fewer first requests there is nothing to measure. */
const fewestFirst = 100;
const callers = 4;
const warmUps = 3000;
const laterRequests = 3000;
/** With this between them, requests go through all organizations of any of the numbers. */
const stride = 7;

const steps = counts.flatMap((n) => [
  { n, isFirst: true },
  { n, isFirst: false },
]);

const request = (organization: number): Request => ({
  stream: false,
  delayMs: 0,
  gapMs: 0,
  chunks: 10,
  organization,
});

/** First requests, whose key has to be read, and those that follow. */
export async function organizations(world: World): Promise<Series[]> {
  const measured = await measure(world);
  const series = { what: 'Organizations', each: 'request', isInRequest: false };
  const pointsOf = (isFirst: boolean, fewest: number) =>
    steps.flatMap((step, place) => {
      const pass = measured[place];
      if (pass === undefined || step.isFirst !== isFirst || step.n < fewest) return [];
      return [{ n: step.n, name: step.n.toLocaleString('en'), figures: pass.figures, directMs: null }];
    });
  return [
    { ...series, title: 'Organizations: the first request of each', points: pointsOf(true, fewestFirst) },
    { ...series, title: 'Organizations: the requests that follow', points: pointsOf(false, 1) },
  ];
}

/** In one process; each step has organizations that nobody has heard of before. */
async function measure(world: World): Promise<Pass[]> {
  const gateway = await world.startGateway();
  let known = 1;
  const run = async (requests: number, organizationOf: (index: number) => number): Promise<Pass> => ({
    directMs: [],
    figures: await loadGateway(world, gateway, {
      callers,
      requests,
      request: (index) => request(known + organizationOf(index)),
    }),
  });
  try {
    await run(warmUps, () => 0);
    return await inPasses(steps, ({ n, isFirst }) => {
      if (!isFirst) return run(laterRequests, (index) => (index * stride) % n);
      known += Math.max(...counts);
      return run(n, (index) => index);
    });
  } finally {
    await gateway.stop();
  }
}
