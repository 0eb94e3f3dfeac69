/**
 * Compares algorithms of rate limits: the writes that an admitted request takes, and how much they admit in a short time.
 * `npm run bench:rates`. Simulated, with a seed.
 */
import { minuteMs, secondMs } from '#lambdas/platform/duration.ts';
import { type Random, seededRandom } from '#test/support/seeded-random.ts';
import { markdownTable } from './harness/figures.ts';
import { type Algorithm, algorithms } from './rates/algorithms.ts';

const perMinute = 600;
/** Exceeded by each attempt of the greedy caller. */
const greedyPerMinute = 60;
const processes = 4;

/** The times of requests, in milliseconds. */
type Load = (random: Random) => number[];

/** Requests that arrive independently of each other. */
function poisson(perSecond: number, seconds: number): Load {
  return (random) => {
    const times: number[] = [];
    let atMs = 0;
    while (atMs < seconds * secondMs) {
      times.push(Math.floor(atMs));
      atMs += -Math.log(1 - random()) * (secondMs / perSecond);
    }
    return times;
  };
}

/** An agent: some requests in a row, and a pause. */
const bursts: Load = (random) =>
  Array.from({ length: 500 }, (_, burst) => burst * 90_000 + Math.floor(random() * 60_000)).flatMap(
    (startMs) => Array.from({ length: 50 }, (_, place) => startMs + place * 20),
  );

/** A caller that tries every 5 ms, with pauses in which it saves up its limit. */
const greedy: Load = (random) => {
  const times: number[] = [];
  let atMs = 0;
  for (let phase = 0; phase < 400; phase += 1) {
    atMs += Math.floor(random() ** 2 * 130) * secondMs + Math.floor(random() * secondMs);
    const endMs = atMs + Math.floor(random() ** 2 * 130 * secondMs);
    for (; atMs < endMs; atMs += 5) times.push(atMs);
  }
  return times;
};

function run(algorithm: Algorithm, load: Load): { admitted: number[]; writesPerRequest: number } {
  const random = seededRandom(1);
  const admitted: number[] = [];
  let writes = 0;
  for (const atMs of load(random)) {
    const attempt = algorithm(Math.floor(random() * processes), atMs);
    if (!attempt.isAdmitted) continue;
    admitted.push(atMs);
    writes += attempt.writes;
  }
  return { admitted, writesPerRequest: writes / admitted.length };
}

/** The largest number of requests that were admitted in a time, as a multiple of the limit per minute. */
function admittedWithin(admitted: readonly number[], timeMs: number): number {
  let [most, first] = [0, 0];
  for (const [index, atMs] of admitted.entries()) {
    while ((admitted[first] ?? atMs) <= atMs - timeMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most / greedyPerMinute;
}

const rows = Object.entries(algorithms).map(([name, create]) => {
  const writesOf = (load: Load) => run(create(perMinute), load).writesPerRequest.toFixed(2);
  const { admitted } = run(create(greedyPerMinute), greedy);
  return [
    name,
    writesOf(poisson(5, 3600)),
    writesOf(poisson(0.05, 36_000)),
    writesOf(bursts),
    admittedWithin(admitted, secondMs).toFixed(2),
    admittedWithin(admitted, minuteMs).toFixed(2),
  ];
});

console.log(
  markdownTable(
    `Writes per admitted request of ${processes} processes, and the most that is admitted, as a multiple of the limit`,
    ['', 'Half of the limit', 'One in 20 s', '50 in a second, and a pause', 'In a second', 'In a minute'],
    rows,
  ),
);
