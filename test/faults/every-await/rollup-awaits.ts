/** The rollup function, killed at each await of two batches from two shards, which are then delivered again. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { streamRecord } from '#test/support/report-harness.ts';
import { type Findings, wrongCosts } from '../harness/audit.ts';
import type { Customer } from '../harness/operator.ts';
import type { Scene, Stage } from '../scene.ts';
import { killAtEveryAwait } from './every-await.ts';
import { environmentOf, startKillableFunction } from './killable-function.ts';
import { makeEntries } from './made-entries.ts';

/** The work of one killed process: an organization of its own, so that its sums tell of this process alone. */
interface Work {
  point: number;
  customer: Customer;
  entries: LogEntry[];
}

const entriesEach = 4;

export const rollupAwaitScene: Scene = {
  fault: 'the rollup function is killed at every await, and its batches come again',
  mark: 'rollup-await',
  requests: { short: 12, long: 0 },
  async run(stage) {
    const { world, form } = stage;
    const environment = environmentOf(world, 'CostRollup');
    const works: Work[] = [];
    await killAtEveryAwait({
      environment,
      form,
      onLine: world.log.add,
      async eventsFor(point) {
        const customer = await world.operator.newCustomer();
        const work = { point, customer, entries: makeEntries(customer, entriesEach) };
        works.push(work);
        return batches(work);
      },
    });
    const again = await startKillableFunction({ environment, onLine: world.log.add });
    for (const work of works) for (const batch of batchesAgain(work)) await again.invoke(batch);
    await again.stop();
    stage.played = { requests: works.length * entriesEach, findings: () => compare(stage, works) };
  },
};

/** Two shards have a half of the entries each. */
function batches({ entries }: Work): object[] {
  const half = entriesEach / 2;
  return [batch('shardId-1', entries.slice(0, half)), batch('shardId-2', entries.slice(half))];
}

/** As Lambda delivers what has failed: the whole batch, or, cut in two, one part after the other. */
function batchesAgain(work: Work): object[] {
  const { point, entries } = work;
  if (point % 2 === 0) return batches(work);
  const half = entriesEach / 2;
  const records = entries.slice(0, half);
  return [
    batch('shardId-1', records.slice(0, 1)),
    batch('shardId-1', records.slice(1), 2),
    batch('shardId-2', entries.slice(half)),
  ];
}

function batch(shardId: string, entries: readonly LogEntry[], firstSequenceNumber = 1): object {
  return {
    shardId,
    Records: entries.map((entry, index) => streamRecord(entry, firstSequenceNumber + index)),
  };
}

async function compare({ world: { operator } }: Stage, works: readonly Work[]): Promise<Findings> {
  const findings: Findings = { received: 0, entries: 0, interrupted: 0, lost: 0, doubled: 0, wrong: [] };
  for (const { point, customer, entries } of works) {
    const costs = await operator.costsOf(customer);
    const surplus = costs.requests - entries.length;
    findings.received += entries.length;
    findings.entries += costs.requests;
    findings.lost += Math.max(0, -surplus);
    findings.doubled += Math.max(0, surplus);
    findings.wrong.push(...wrongCosts({ entries, costs }).map((text) => `killed at ${point}: ${text}`));
  }
  return findings;
}
