/**
 * Measures how latency and CPU time per request scale with request size, number of chunks, concurrency and number of
 * organizations: `npm run bench:scale`.
 *
 * Checks every response and every log entry. Prints a table per series and a summary; takes three minutes.
 */
import { startEnvironment } from './harness/environment.ts';
import { type Series, seriesTable, summaryTable } from './scale/growth.ts';
import { type Load, measurePoints, type OrganizationRequest, type Plan, type Step } from './scale/measure.ts';

const kilobyte = 1000;
const mebibyte = 1024 * 1024;
const baseRequest: OrganizationRequest = { stream: false, chunks: 50, organization: 0 };

const toStream = (request: OrganizationRequest): OrganizationRequest => ({
  ...request,
  stream: true,
  includeUsage: true,
});
const nameAndAmount = (amount: number) => ({ name: amount.toLocaleString('en'), amount });

function bodySize(name: string, bytes: number, requests: number): Step {
  const load = { requests, concurrency: 1, request: () => ({ ...baseRequest, bytes }) };
  return { name, amount: bytes / kilobyte, load: () => load };
}

function chunkCount(chunks: number): Step {
  const requests = Math.min(300, Math.max(6, 20_000 / chunks));
  const load = { requests, concurrency: 1, request: () => toStream({ ...baseRequest, chunks }) };
  return { ...nameAndAmount(chunks), load: () => load };
}

function spacedChunkCount(chunks: number): Step {
  const requests = chunks === 1000 ? 16 : 48;
  const load = { requests, concurrency: 16, request: () => toStream({ ...baseRequest, chunks, gapMs: 3 }) };
  return { ...nameAndAmount(chunks), load: () => load };
}

const concurrencies = [1, 4, 16, 64, 256];

/** Rotates over sixteen organizations and response lengths: 50 chunks on average. */
const mixedRequest = (index: number): OrganizationRequest => ({
  ...baseRequest,
  chunks: 40 + (index % 21),
  organization: index % 16,
});

const mixedStream = (index: number) => toStream(mixedRequest(index));

function concurrentStreams(concurrency: number): Step {
  const request = (index: number) => ({ ...mixedStream(index), delayMs: 20, gapMs: 20 });
  return { ...nameAndAmount(concurrency), load: () => ({ requests: concurrency, concurrency, request }) };
}

function concurrentCompletions(concurrency: number): Step {
  const request = (index: number) => ({ ...mixedRequest(index), delayMs: 100 });
  return { ...nameAndAmount(concurrency), load: () => ({ requests: 7 * concurrency, concurrency, request }) };
}

const organizationCounts = [1, 10, 100, 1000, 10_000];
const organizationWarmUp = organizationLoad(3000, () => 0);

function organizationLoad(requests: number, organizationOf: (index: number) => number): Load {
  const request = (index: number) => ({ ...baseRequest, chunks: 10, organization: organizationOf(index) });
  return { requests, concurrency: 4, request };
}

/** Uses different organizations in each step and pass, so that none is cached. */
function newOrganizations(count: number): Step {
  const firstOrganization = (pass: number) => 1 + pass * 100_000 + count;
  return {
    ...nameAndAmount(count),
    load: (pass) => organizationLoad(count, (index) => firstOrganization(pass) + index),
  };
}

function knownOrganizations(count: number): Step {
  return {
    ...nameAndAmount(count),
    setUp: organizationLoad(count, (index) => index),
    // The stride is coprime to the counts, so requests are spread over all organizations.
    load: () => organizationLoad(3000, (index) => (index * 7) % count),
  };
}

const plans: Plan[] = [
  {
    title: 'Request size: completions, sequential',
    unit: 'kB',
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
    title: 'Chunks of a stream: without a gap, sequential',
    unit: 'chunk',
    perRequest: true,
    steps: [1, 10, 100, 1000, 10_000].map(chunkCount),
  },
  {
    title: 'Chunks of a stream: 3 ms apart, 16 concurrent streams',
    unit: 'chunk',
    perRequest: true,
    steps: [1, 10, 100, 1000].map(spacedChunkCount),
  },
  {
    // Lambda Managed Instances run concurrent requests in one process.
    title: 'Concurrent streams in one process: 50 chunks, 20 ms apart',
    unit: 'stream',
    steps: concurrencies.map(concurrentStreams),
    warmUp: { requests: 2000, concurrency: 16, request: mixedStream },
  },
  {
    title: 'Concurrent completions in one process: the provider takes 100 ms',
    unit: 'completion',
    steps: concurrencies.map(concurrentCompletions),
    warmUp: { requests: 2000, concurrency: 16, request: mixedRequest },
  },
  {
    // The first request reads the API key. Fewer than 100 requests are too few for a measurement.
    title: 'Organizations: first request of each',
    unit: 'request',
    steps: organizationCounts.filter((count) => count >= 100).map(newOrganizations),
    warmUp: organizationWarmUp,
    skipDirect: true,
  },
  {
    title: 'Organizations: subsequent requests',
    unit: 'request',
    steps: organizationCounts.map(knownOrganizations),
    warmUp: organizationWarmUp,
    skipDirect: true,
  },
];

const environment = await startEnvironment({ checkEntries: true });
try {
  const allSeries: Series[] = [];
  for (const plan of plans) {
    const series = { ...plan, points: await measurePoints(environment, plan) };
    console.log(seriesTable(series));
    allSeries.push(series);
  }
  console.log(summaryTable(allSeries));
} finally {
  await environment.stop();
}
