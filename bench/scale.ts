/**
 * How the cost of a request grows with its size, its chunks, the requests at once and the organizations:
 * `npm run bench:scale`.
 *
 * Checks every response and every log entry. Prints a table for each series, and a summary; takes three minutes.
 */
import { type Environment, startEnvironment } from './harness/environment.ts';
import { type Series, seriesTable, summaryTable } from './scale/growth.ts';
import { measureSteps, type Request, type Step } from './scale/measure.ts';

const kilobyte = 1000;
const mebibyte = 1024 * 1024;
const plain: Request = { stream: false, chunks: 50, organization: 0 };

const streamOf = (request: Request): Request => ({ ...request, stream: true, includeUsage: true });
const named = (amount: number) => ({ name: amount.toLocaleString('en'), amount });

async function bodySizes(environment: Environment): Promise<Series> {
  const step = (name: string, bytes: number, requests: number): Step => ({
    name,
    amount: bytes / kilobyte,
    load: () => ({ requests, callers: 1, request: () => ({ ...plain, bytes }) }),
  });
  const steps = [
    step('1 kB', kilobyte, 300),
    step('10 kB', 10 * kilobyte, 300),
    step('100 kB', 100 * kilobyte, 150),
    step('1 MB', mebibyte, 40),
    step('3 MB', 3 * mebibyte, 20),
    step('6 MB', 6 * mebibyte, 12),
  ];
  return {
    title: 'The size of the request, completions, one at a time',
    subject: 'Request',
    unit: 'kB of the request',
    perRequest: true,
    points: await measureSteps(environment, { steps }),
  };
}

async function chunkCounts(environment: Environment): Promise<Series> {
  const steps = [1, 10, 100, 1000, 10_000].map((chunks): Step => {
    const requests = Math.min(300, Math.max(6, 20_000 / chunks));
    return {
      ...named(chunks),
      load: () => ({ requests, callers: 1, request: () => streamOf({ ...plain, chunks }) }),
    };
  });
  return {
    title: 'The chunks of a stream, as fast as they are read, one at a time',
    subject: 'Chunks',
    unit: 'chunk',
    perRequest: true,
    points: await measureSteps(environment, { steps }),
  };
}

async function spacedChunkCounts(environment: Environment): Promise<Series> {
  const steps = [1, 10, 100, 1000].map((chunks): Step => {
    const requests = chunks === 1000 ? 16 : 48;
    return {
      ...named(chunks),
      load: () => ({ requests, callers: 16, request: () => streamOf({ ...plain, chunks, gapMs: 3 }) }),
    };
  });
  return {
    title: 'The chunks of a stream, 3 ms apart, 16 at once',
    subject: 'Chunks',
    unit: 'chunk',
    perRequest: true,
    points: await measureSteps(environment, { steps }),
  };
}

/** Of sixteen organizations, whose responses differ in length: 50 chunks on average. */
const mixed = (index: number): Request => ({
  ...plain,
  chunks: 40 + (index % 21),
  organization: index % 16,
});

/** `requests` for each caller. */
function atOnce(requests: number, request: (index: number) => Request): Step[] {
  return [1, 4, 16, 64, 256].map((callers) => ({
    ...named(callers),
    load: () => ({ requests: callers * requests, callers, request }),
  }));
}

/** As Lambda Managed Instances run the function. */
async function streamsAtOnce(environment: Environment): Promise<Series> {
  const steps = atOnce(1, (index) => streamOf({ ...mixed(index), delayMs: 20, gapMs: 20 }));
  const warmUp = { requests: 2000, callers: 16, request: (index: number) => streamOf(mixed(index)) };
  return {
    title: 'Streams at once in one process: 50 chunks, 20 ms apart',
    subject: 'At once',
    unit: 'stream',
    perRequest: false,
    points: await measureSteps(environment, { steps, warmUp }),
  };
}

async function completionsAtOnce(environment: Environment): Promise<Series> {
  const steps = atOnce(7, (index) => ({ ...mixed(index), delayMs: 100 }));
  const warmUp = { requests: 2000, callers: 16, request: mixed };
  return {
    title: 'Completions at once in one process; the provider takes 100 ms',
    subject: 'At once',
    unit: 'completion',
    perRequest: false,
    points: await measureSteps(environment, { steps, warmUp }),
  };
}

const organizationCounts = [1, 10, 100, 1000, 10_000];
const organizationLoad = (requests: number, organizationOf: (index: number) => number) => ({
  requests,
  callers: 4,
  request: (index: number): Request => ({ ...plain, chunks: 10, organization: organizationOf(index) }),
});

/** The first request of each organization, for which its API key has to be read. */
async function newOrganizations(environment: Environment): Promise<Series> {
  const steps = organizationCounts
    // Fewer requests are too few to measure.
    .filter((count) => count >= 100)
    .map((count, index): Step => {
      const firstOf = (pass: number) => 1 + (pass * organizationCounts.length + index) * 10_000;
      return {
        ...named(count),
        load: (pass) => organizationLoad(count, (request) => firstOf(pass) + request),
      };
    });
  return {
    title: 'Organizations: the first request of each',
    subject: 'Organizations',
    unit: 'request',
    perRequest: false,
    points: await measureSteps(environment, {
      steps,
      warmUp: organizationLoad(3000, () => 0),
      direct: false,
    }),
  };
}

/** Requests of organizations whose API keys are cached. */
async function knownOrganizations(environment: Environment): Promise<Series> {
  const steps = organizationCounts.map(
    (count): Step => ({
      ...named(count),
      before: organizationLoad(count, (index) => index),
      // The stride shares no factor with the counts, so every organization has requests.
      load: () => organizationLoad(3000, (index) => (index * 7) % count),
    }),
  );
  return {
    title: 'Organizations: the requests that follow',
    subject: 'Organizations',
    unit: 'request',
    perRequest: false,
    points: await measureSteps(environment, {
      steps,
      warmUp: organizationLoad(3000, () => 0),
      direct: false,
    }),
  };
}

const environment = await startEnvironment({ checkEntries: true });
try {
  const all: Series[] = [];
  for (const measure of [
    bodySizes,
    chunkCounts,
    spacedChunkCounts,
    streamsAtOnce,
    completionsAtOnce,
    newOrganizations,
    knownOrganizations,
  ]) {
    const series = await measure(environment);
    console.log(seriesTable(series));
    all.push(series);
  }
  console.log(summaryTable(all));
} finally {
  await environment.stop();
}
