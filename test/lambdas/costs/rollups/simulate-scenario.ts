import type { CallOutcome } from './interruptible-run.ts';
import {
  type Environment,
  elementAt,
  repriceEntry,
  splitShard,
  writeEntry,
  writeMalformedItem,
} from './rollup-environment.ts';
import { type Event, hourMs, minuteMs, type Scenario } from './scenarios.ts';
import { completeRebuild, continueRebuild, cutOver } from './simulated-rebuild.ts';
import { startReplay } from './simulated-replay.ts';
import {
  deliver,
  handleResult,
  isConsumed,
  rewind,
  step,
  streamRetentionMs,
  timeOut,
} from './stream-shard.ts';

/** Simulates the events, and then completes deliveries, replays and rebuilds. */
export async function simulate(
  environment: Environment,
  { events, runEndings, hasEarlyCutover, redeliverAfterMs }: Scenario,
): Promise<void> {
  for (const event of events) await simulateEvent(environment, event);
  await endRuns(environment, runEndings);
  for (const organization of hasEarlyCutover ? environment.organizations : []) {
    await completeRebuild(environment, organization);
    await cutOver(environment, organization);
  }
  await deliverAll(environment);
  if (redeliverAfterMs !== null) {
    await replayAll(environment);
    await advanceClock(environment, redeliverAfterMs);
    environment.isSecondVersion = true;
    for (const shard of environment.shards) rewind(shard, environment.nowMs);
    await deliverAll(environment);
  }
  await endRuns(environment, ['finish']);
  await replayAll(environment);
  for (const organization of environment.organizations) await completeRebuild(environment, organization);
}

async function simulateEvent(environment: Environment, event: Event): Promise<void> {
  switch (event.kind) {
    case 'write':
      return writeEntry(environment, event.request);
    case 'reprice':
      return repriceEntry(environment, event.pick, event.price);
    case 'writeMalformed':
      return writeMalformedItem(environment, event.pick % 2);
    case 'deliver':
      return simulateInvocation(environment, event);
    case 'step':
      return simulateInvocation(environment, { ...event, size: 0 });
    case 'timeOut':
      return timeOut(elementAt(environment.shards, event.pick), event.isBisected);
    case 'split':
      return splitShard(environment, event.pick % 2);
    case 'rewind':
      return environment.shards.forEach((shard) => {
        rewind(shard, environment.nowMs);
      });
    case 'deploy':
      // Lambda does not run two versions concurrently: running invocations have ended before the deployment.
      await endRuns(environment, ['kill', 'finish']);
      environment.isSecondVersion = true;
      return;
    case 'replay':
      return simulateReplay(environment, event);
    case 'wait':
      return advanceClock(environment, event.ms);
    case 'rebuild':
      return simulateRebuild(environment, event);
    default:
      event satisfies never;
  }
}

async function simulateRebuild(
  environment: Environment,
  { pick, waitsForCutover, stages }: Event & { kind: 'rebuild' },
) {
  const organization = elementAt(environment.organizations, pick);
  const cutoverMs = organization.rebuild?.cutoverMs ?? 0;
  if (waitsForCutover) environment.nowMs = Math.max(environment.nowMs, cutoverMs);
  for (const steps of stages) {
    await continueRebuild(environment, organization);
    for (const { pick, outcome } of steps) await organization.rebuild?.run?.step(pick, outcome);
    if (waitsForCutover) await organization.rebuild?.run?.finish();
  }
}

/** Starts a replay, and continues all running replays. */
async function simulateReplay(environment: Environment, { pick, size, steps }: Event & { kind: 'replay' }) {
  await startReplay(environment, pick, size);
  for (const step of steps) await elementAt(environment.replays, step.pick).step(step.pick, step.outcome);
}

async function replayAll(environment: Environment) {
  await startReplay(environment, 0, environment.sentMessages);
  for (const replay of environment.replays) await replay.finish();
}

interface InvocationEvent {
  pick: number;
  size: number;
  steps: { pick: number; outcome: CallOutcome }[];
  isBisected: boolean;
}

async function simulateInvocation(
  environment: Environment,
  { pick, size, steps, isBisected }: InvocationEvent,
) {
  const shard = elementAt(environment.shards, pick);
  await deliver(environment, shard, size);
  for (const next of steps) await step(shard, next);
  handleResult(shard, isBisected);
}

/** Ends runs that would take longer than a few minutes, and delivers records before they expire from the stream. */
async function advanceClock(environment: Environment, ms: number) {
  if (ms > 5 * minuteMs) {
    await endRuns(environment, ['finish', 'kill']);
    const wouldExpire = environment.shards.some((shard) =>
      shard.records
        .slice(shard.checkpoint)
        .some(({ writtenAtMs }) => environment.nowMs + ms - writtenAtMs > streamRetentionMs - hourMs),
    );
    if (wouldExpire) await deliverAll(environment);
  }
  environment.nowMs += ms;
}

async function endRuns(environment: Environment, runEndings: Scenario['runEndings']) {
  const runs = [
    ...environment.shards.flatMap(({ invocation, abandonedInvocations }) => [
      ...(invocation ? [invocation] : []),
      ...abandonedInvocations,
    ]),
    ...environment.organizations.flatMap(({ rebuild }) => rebuild?.run ?? []),
    ...environment.replays,
  ];
  for (const [index, run] of runs.entries()) {
    const ending = elementAt(runEndings, index);
    if (ending === 'finish') await run.finish();
    if (ending === 'kill') run.kill();
  }
  for (const shard of environment.shards) {
    handleResult(shard, true);
    // Invocations that are still running are abandoned.
    timeOut(shard, false);
  }
}

/** Delivers all records without failures. Abandoned invocations keep running. */
async function deliverAll(environment: Environment) {
  while (!environment.shards.every(isConsumed)) {
    for (const shard of environment.shards) {
      await deliver(environment, shard, 3);
      await shard.invocation?.finish();
      handleResult(shard, false);
    }
  }
}
