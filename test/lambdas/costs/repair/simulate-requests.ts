/** Simulates the end of requests, the writes of their entries, and the stream from the table to the rollups. */
import { type CallOutcome, callOutcomes } from '../rollups/interruptible-run.ts';
import { deliver, handleResult, isConsumed, step, timeOut } from '../rollups/stream-shard.ts';
import {
  createEntry,
  type Environment,
  interruptedFields,
  putEntry,
  replacePlaceholder,
  serviceTiers,
} from './rebuild-environment.ts';
import type { Simulation } from './simulation.ts';

export async function startWrite({ environment, random }: Simulation) {
  const minute = 60_000;
  const createdMs = environment.nowMs - random.pick([0, 20, 3000, 14 * minute]);
  const fields = {
    model: random.pick(['a', 'b']),
    cost_usd: random.pick(['0', '0.000000000001', '0.1', '12.5']),
    pricing: random.pick(['table', 'assumed', 'unknown'] as const),
    service_tier: random.pick(serviceTiers),
    user_id: random.pick([null, null, 'u']),
    session_id: random.pick([null, null, null, 's#1']),
    outcome: random.pick(['completed', 'completed', 'completed', 'rejected'] as const),
  };
  const isInterrupted = random.below(5) === 0;
  const entryFields = isInterrupted ? { ...fields, ...interruptedFields } : fields;
  environment.pendingWrites.push(
    createEntry(environment, { createdMs, shard: random.below(environment.logShards), fields: entryFields }),
  );
}

/** The entry of a request that was presumed interrupted is written after all. */
export async function replaceRandomPlaceholder({ environment, random }: Simulation) {
  const placeholders = environment.entries.filter(({ entry }) => entry.outcome === interruptedFields.outcome);
  if (placeholders.length > 0) await replacePlaceholder(environment, random.pick(placeholders));
}

export async function completeWrite({ environment, random }: Simulation) {
  const [stored] = environment.pendingWrites.splice(random.below(environment.pendingWrites.length), 1);
  if (stored !== undefined) await putEntry(environment, stored);
}

export async function continueStream(simulation: Simulation) {
  const { environment, random } = simulation;
  const shard = random.pick(environment.shards);
  await deliver(environment, shard, 1 + random.below(4));
  if (shard.invocation !== null && !simulation.invocationStartsMs.has(shard.invocation))
    simulation.invocationStartsMs.set(shard.invocation, environment.nowMs);
  for (let steps = random.below(12); steps > 0; steps -= 1)
    await step(shard, { pick: random.below(40), outcome: randomOutcome(simulation) });
  handleResult(shard, random.below(2) === 0);
}

export async function timeOutInvocation({ environment, random }: Simulation) {
  timeOut(random.pick(environment.shards), random.below(2) === 0);
}

function randomOutcome({ random }: Simulation): CallOutcome {
  return random.below(10) > 0 ? 'succeeded' : random.pick(callOutcomes);
}

export async function addLogShard({ environment }: Simulation) {
  environment.logShards = Math.min(environment.logShards + 1, 4);
}

export async function drainShards(environment: Environment) {
  while (!environment.shards.every(isConsumed)) {
    for (const shard of environment.shards) {
      await deliver(environment, shard, 20);
      await shard.invocation?.finish();
      handleResult(shard, false);
    }
  }
}
