/** Simulates the end of requests, the writes of their entries, and the stream from the table to the rollups. */
import { operations } from '#lambdas/request-log/operation.ts';
import { type CallOutcome, callOutcomes } from '#test/lambdas/costs/rollups/support/interruptible-run.ts';
import {
  deliver,
  handleResult,
  isConsumed,
  step,
  timeOut,
} from '#test/lambdas/costs/rollups/support/stream-shard.ts';
import {
  createEntry,
  interruptedFields,
  putEntry,
  type RepairFixture,
  replacePlaceholder,
  serviceTiers,
} from './repair-fixture.ts';
import type { Simulation } from './simulation.ts';

export async function startWrite({ fixture, random }: Simulation) {
  const minute = 60_000;
  const createdMs = fixture.nowMs - random.pick([0, 20, 3000, 14 * minute]);
  const fields = {
    model: random.pick(['a', 'b']),
    cost_usd: random.pick(['0', '0.000000000001', '0.1', '12.5']),
    pricing: random.pick(['table', 'assumed', 'unknown'] as const),
    operation: random.pick(operations),
    service_tier: random.pick(serviceTiers),
    user_id: random.pick([null, null, 'u']),
    session_id: random.pick([null, null, null, 's#1']),
    outcome: random.pick(['completed', 'completed', 'completed', 'rejected'] as const),
    refused_requests: random.pick([null, 2, 50]),
  };
  const routed = random.pick([{}, {}, { route: 'fast' }]);
  const isInterrupted = random.below(5) === 0;
  const isSuperseded = fields.outcome !== 'rejected' && random.below(5) === 0;
  const attempt = { ...routed, superseded_by: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01' };
  const ofRequest = isInterrupted ? { ...routed, ...interruptedFields } : routed;
  const entryFields = { ...fields, ...(isSuperseded ? attempt : ofRequest) };
  fixture.pendingWrites.push(
    createEntry(fixture, { createdMs, shard: random.below(fixture.logShards), fields: entryFields }),
  );
}

/** The entry of a request that was presumed interrupted is written after all. */
export async function replaceRandomPlaceholder({ fixture, random }: Simulation) {
  const placeholders = fixture.entries.filter(({ entry }) => entry.outcome === interruptedFields.outcome);
  if (placeholders.length > 0) await replacePlaceholder(fixture, random.pick(placeholders));
}

export async function completeWrite({ fixture, random }: Simulation) {
  const [stored] = fixture.pendingWrites.splice(random.below(fixture.pendingWrites.length), 1);
  if (stored !== undefined) await putEntry(fixture, stored);
}

export async function continueStream(simulation: Simulation) {
  const { fixture, random } = simulation;
  const shard = random.pick(fixture.shards);
  await deliver(fixture, shard, 1 + random.below(4));
  if (shard.invocation !== null && !simulation.invocationStartsMs.has(shard.invocation))
    simulation.invocationStartsMs.set(shard.invocation, fixture.nowMs);
  for (let steps = random.below(12); steps > 0; steps -= 1)
    await step(shard, { pick: random.below(40), outcome: randomOutcome(simulation) });
  handleResult(shard, random.below(2) === 0);
}

export async function timeOutInvocation({ fixture, random }: Simulation) {
  timeOut(random.pick(fixture.shards), random.below(2) === 0);
}

function randomOutcome({ random }: Simulation): CallOutcome {
  return random.below(10) > 0 ? 'succeeded' : random.pick(callOutcomes);
}

export async function addLogShard({ fixture }: Simulation) {
  fixture.logShards = Math.min(fixture.logShards + 1, 4);
}

export async function drainShards(fixture: RepairFixture) {
  while (!fixture.shards.every(isConsumed)) {
    for (const shard of fixture.shards) {
      await deliver(fixture, shard, 20);
      await shard.invocation?.finish();
      handleResult(shard, false);
    }
  }
}
