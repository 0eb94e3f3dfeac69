/** Measures what hard budgets and rate limits add to a request: latency, CPU time, and write units. */
import type { Environment } from '../harness/environment.ts';
import { markdownTable, median, percentile } from '../harness/figures.ts';
import {
  compare,
  directCalls,
  type ImplementationName,
  type Load,
  limitImplementations,
  type Results,
  runLoad,
  startWithLimits,
  type Timings,
} from './implementations.ts';
import { completion, type Figures, figuresOf, type Overheads, streamOf, warmUp } from './measure.ts';
import { writeUnitsTable } from './write-units.ts';

interface LimitOverheads extends Pick<Overheads, 'sequential' | 'oneStream' | 'saturated'> {
  /** The first request of a process. */
  firstRequestMs: Figures;
}

/** Hard budgets refuse requests to the benchmark's other models, which have no price. */
const pricedModel = 'gpt-4o';

const oneRequest: Load = { ...completion, model: pricedModel, concurrency: 1, requests: 1 };

export async function measureLimits(environment: Environment, rounds: number): Promise<LimitOverheads> {
  const firstRequestMs = await measureFirstRequests(environment, rounds);
  const implementations = [directCalls(environment)];
  for (const name of limitImplementations) {
    implementations.push(await startWithLimits(environment, name));
  }
  const measure = (load: Partial<Load>) =>
    compare(environment, implementations, { ...oneRequest, ...load }, rounds);
  await warmUp(environment, implementations, pricedModel);
  return {
    firstRequestMs,
    sequential: await measure({ requests: 300 }),
    oneStream: await measure({ ...streamOf(10, 5), requests: 15 }),
    saturated: await measure({ concurrency: 16, requests: 1000 }),
  };
}

async function measureFirstRequests(environment: Environment, rounds: number): Promise<Figures> {
  const samples = limitImplementations.map((name) => ({ name, times: [] as number[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, times } of samples) {
      const implementation = await startWithLimits(environment, name);
      const { total } = await runLoad(environment, implementation, oneRequest);
      times.push(...total);
      await implementation.process.stop();
    }
  }
  return Object.fromEntries(samples.map(({ name, times }) => [name, median(times)]));
}

export async function limitTables(overheads: LimitOverheads): Promise<string> {
  const { sequential, oneStream, saturated, firstRequestMs } = overheads;
  const format = (figures: Figures, digits: number) =>
    limitImplementations.map((name) => (figures[name] ?? Number.NaN).toFixed(digits));
  const addedMs = (results: Results, timing: keyof Timings, share: number) => {
    const at = (name: ImplementationName) => percentile(results[name]?.timings[timing] ?? [], share);
    const added = figuresOf(results, (name) => at(name) - at('direct'));
    return format(added, 2);
  };
  const cpuMicros = figuresOf(saturated, (name) => saturated[name]?.cpuMicros ?? Number.NaN);
  const table = markdownTable(
    'Hard budgets of the API key and its organization, and rate limits of the key',
    ['', 'None', 'One hard budget', 'Two hard budgets', 'Rate limits'],
    [
      ['Added latency, sequential, p50, ms', ...addedMs(sequential, 'total', 0.5)],
      ['p99', ...addedMs(sequential, 'total', 0.99)],
      ['Added time to first token, p50, ms', ...addedMs(oneStream, 'firstByte', 0.5)],
      ['First request of a process, ms', ...format(firstRequestMs, 0)],
      ['CPU per request, µs', ...format(cpuMicros, 0)],
    ],
  );
  return [table, await writeUnitsTable()].join('\n');
}
