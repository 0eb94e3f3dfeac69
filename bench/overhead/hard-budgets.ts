/** Measures what hard budgets add to a request: latency, CPU time, and write units. */
import type { Environment } from '../harness/environment.ts';
import { markdownTable, median, percentile } from '../harness/figures.ts';
import {
  budgetImplementations,
  compare,
  directCalls,
  type ImplementationName,
  type Load,
  type Results,
  runLoad,
  startWithBudgets,
  type Timings,
} from './implementations.ts';
import { completion, type Figures, figuresOf, type Overheads, streamOf, warmUp } from './measure.ts';
import { type BudgetWriteUnits, measureWriteUnits } from './write-units.ts';

interface BudgetOverheads extends Pick<Overheads, 'sequential' | 'oneStream' | 'saturated'> {
  /** The first request of a process. */
  firstRequestMs: Figures;
  /** With one and with two hard budgets. */
  writeUnits: readonly [BudgetWriteUnits, BudgetWriteUnits];
}

/** Hard budgets refuse requests to the benchmark's other models, which have no price. */
const pricedModel = 'gpt-4o';

const oneRequest: Load = { ...completion, model: pricedModel, concurrency: 1, requests: 1 };

export async function measureBudgets(environment: Environment, rounds: number): Promise<BudgetOverheads> {
  const firstRequestMs = await measureFirstRequests(environment, rounds);
  const implementations = [directCalls(environment)];
  for (const name of budgetImplementations) {
    implementations.push(await startWithBudgets(environment, name));
  }
  const measure = (load: Partial<Load>) =>
    compare(environment, implementations, { ...oneRequest, ...load }, rounds);
  await warmUp(environment, implementations, pricedModel);
  return {
    firstRequestMs,
    sequential: await measure({ requests: 300 }),
    oneStream: await measure({ ...streamOf(10, 5), requests: 15 }),
    saturated: await measure({ concurrency: 16, requests: 1000 }),
    writeUnits: [await measureWriteUnits(1), await measureWriteUnits(2)],
  };
}

async function measureFirstRequests(environment: Environment, rounds: number): Promise<Figures> {
  const samples = budgetImplementations.map((name) => ({ name, times: [] as number[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, times } of samples) {
      const implementation = await startWithBudgets(environment, name);
      const { total } = await runLoad(environment, implementation, oneRequest);
      times.push(...total);
      await implementation.process.stop();
    }
  }
  return Object.fromEntries(samples.map(({ name, times }) => [name, median(times)]));
}

export function budgetTable(overheads: BudgetOverheads): string {
  const { sequential, oneStream, saturated, firstRequestMs, writeUnits } = overheads;
  const format = (figures: Figures, digits: number) =>
    budgetImplementations.map((name) => (figures[name] ?? Number.NaN).toFixed(digits));
  const addedMs = (results: Results, timing: keyof Timings, share: number) => {
    const at = (name: ImplementationName) => percentile(results[name]?.timings[timing] ?? [], share);
    const added = figuresOf(results, (name) => at(name) - at('direct'));
    return format(added, 2);
  };
  const cpuMicros = figuresOf(saturated, (name) => saturated[name]?.cpuMicros ?? Number.NaN);
  const unitsOf = (kind: keyof BudgetWriteUnits) => ['0', ...writeUnits.map((units) => String(units[kind]))];
  return markdownTable(
    'Hard budgets of the API key and its organization',
    ['', 'None', 'One', 'Two'],
    [
      ['Added latency, sequential, p50, ms', ...addedMs(sequential, 'total', 0.5)],
      ['p99', ...addedMs(sequential, 'total', 0.99)],
      ['Added time to first token, p50, ms', ...addedMs(oneStream, 'firstByte', 0.5)],
      ['First request of a process, ms', ...format(firstRequestMs, 0)],
      ['CPU per request, µs', ...format(cpuMicros, 0)],
      ['Write units of the reservation', ...unitsOf('reservation')],
      ['Write units of the settlement, for each batch', ...unitsOf('settlement')],
    ],
  );
}
