/**
 * How the cost of a request grows with its size, its chunks, the requests at once and the organizations:
 * `npm run bench:scale`.
 *
 * Checks every response and every log entry. Prints a table for each series, and a summary; takes three minutes.
 */
import { startEnvironment } from './harness/environment.ts';
import { type Series, seriesTable, summaryTable } from './scale/growth.ts';
import { type Load, measurePoints, type Plan, type Request, type Step } from './scale/measure.ts';

const kilobyte = 1000;
const mebibyte = 1024 * 1024;
const plain: Request = { stream: false, chunks: 50, organization: 0 };

const streamOf = (request: Request): Request => ({ ...request, stream: true, includeUsage: true });
const named = (amount: number) => ({ name: amount.toLocaleString('en'), amount });

function bodySize(name: string, bytes: number, requests: number): Step {
  const load = { requests, callers: 1, request: () => ({ ...plain, bytes }) };
  return { name, amount: bytes / kilobyte, load: () => load };
}

function chunkCount(chunks: number): Step {
  const requests = Math.min(300, Math.max(6, 20_000 / chunks));
  const load = { requests, callers: 1, request: () => streamOf({ ...plain, chunks }) };
  return { ...named(chunks), load: () => load };
}

function spacedChunkCount(chunks: number): Step {
  const requests = chunks === 1000 ? 16 : 48;
  const load = { requests, callers: 16, request: () => streamOf({ ...plain, chunks, gapMs: 3 }) };
  return { ...named(chunks), load: () => load };
}

const concurrencies = [1, 4, 16, 64, 256];

/** Of sixteen organizations, whose responses differ in length: 50 chunks on average. */
const mixed = (index: number): Request => ({
  ...plain,
  chunks: 40 + (index % 21),
  organization: index % 16,
});

const mixedStream = (index: number) => streamOf(mixed(index));

function streamsAtOnce(callers: number): Step {
  const request = (index: number) => ({ ...mixedStream(index), delayMs: 20, gapMs: 20 });
  return { ...named(callers), load: () => ({ requests: callers, callers, request }) };
}

function completionsAtOnce(callers: number): Step {
  const request = (index: number) => ({ ...mixed(index), delayMs: 100 });
  return { ...named(callers), load: () => ({ requests: 7 * callers, callers, request }) };
}

const organizationCounts = [1, 10, 100, 1000, 10_000];
const organizationWarmUp = organizationLoad(3000, () => 0);

function organizationLoad(requests: number, organizationOf: (index: number) => number): Load {
  const request = (index: number) => ({ ...plain, chunks: 10, organization: organizationOf(index) });
  return { requests, callers: 4, request };
}

/** Every step of every pass has organizations of its own. */
function newOrganizations(count: number): Step {
  const first = (pass: number) => 1 + pass * 100_000 + count;
  return { ...named(count), load: (pass) => organizationLoad(count, (index) => first(pass) + index) };
}

function knownOrganizations(count: number): Step {
  return {
    ...named(count),
    before: organizationLoad(count, (index) => index),
    // The stride shares no factor with the counts, so every organization has requests.
    load: () => organizationLoad(3000, (index) => (index * 7) % count),
  };
}

const plans: Plan[] = [
  {
    title: 'The size of the request, completions, one at a time',
    unit: 'kB of the request',
    perRequest: true,
    steps: [
      bodySize('1 kB', kilobyte, 300),
      bodySize('10 kB', 10 * kilobyte, 300),
      bodySize('100 kB', 100 * kilobyte, 150),
      bodySize('1 MB', mebibyte, 40),
      bodySize('3 MB', 3 * mebibyte, 20),
      bodySize('6 MB', 6 * mebibyte, 12),
    ],
  },
  {
    title: 'The chunks of a stream, as fast as they are read, one at a time',
    unit: 'chunk',
    perRequest: true,
    steps: [1, 10, 100, 1000, 10_000].map(chunkCount),
  },
  {
    title: 'The chunks of a stream, 3 ms apart, 16 at once',
    unit: 'chunk',
    perRequest: true,
    steps: [1, 10, 100, 1000].map(spacedChunkCount),
  },
  {
    // As Lambda Managed Instances run the function.
    title: 'Streams at once in one process: 50 chunks, 20 ms apart',
    unit: 'stream',
    steps: concurrencies.map(streamsAtOnce),
    warmUp: { requests: 2000, callers: 16, request: mixedStream },
  },
  {
    title: 'Completions at once in one process; the provider takes 100 ms',
    unit: 'completion',
    steps: concurrencies.map(completionsAtOnce),
    warmUp: { requests: 2000, callers: 16, request: mixed },
  },
  {
    // For which their API keys have to be read. Fewer than 100 requests are too few to measure.
    title: 'Organizations: the first request of each',
    unit: 'request',
    steps: organizationCounts.filter((count) => count >= 100).map(newOrganizations),
    warmUp: organizationWarmUp,
    withoutDirect: true,
  },
  {
    title: 'Organizations: the requests that follow',
    unit: 'request',
    steps: organizationCounts.map(knownOrganizations),
    warmUp: organizationWarmUp,
    withoutDirect: true,
  },
];

const environment = await startEnvironment({ checkEntries: true });
try {
  const all: Series[] = [];
  for (const plan of plans) {
    const series = { ...plan, points: await measurePoints(environment, plan) };
    console.log(seriesTable(series));
    all.push(series);
  }
  console.log(summaryTable(all));
} finally {
  await environment.stop();
}
