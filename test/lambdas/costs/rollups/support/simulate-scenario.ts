import type { CallOutcome } from './interruptible-run.ts';
import {
  elementAt,
  type RollupFixture,
  repriceEntry,
  splitShard,
  writeEntry,
  writeMalformedItem,
} from './rollup-fixture.ts';
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
  fixture: RollupFixture,
  { events, runEndings, hasEarlyCutover, redeliverAfterMs }: Scenario,
): Promise<void> {
  for (const event of events) await simulateEvent(fixture, event);
  await endRuns(fixture, runEndings);
  for (const organization of hasEarlyCutover ? fixture.organizations : []) {
    await completeRebuild(fixture, organization);
    await cutOver(fixture, organization);
  }
  await deliverAll(fixture);
  if (redeliverAfterMs !== null) {
    await replayAll(fixture);
    await advanceClock(fixture, redeliverAfterMs);
    fixture.isSecondVersion = true;
    for (const shard of fixture.shards) rewind(shard, fixture.nowMs);
    await deliverAll(fixture);
  }
  await endRuns(fixture, ['finish']);
  await replayAll(fixture);
  for (const organization of fixture.organizations) await completeRebuild(fixture, organization);
}

async function simulateEvent(fixture: RollupFixture, event: Event): Promise<void> {
  switch (event.kind) {
    case 'write':
      return writeEntry(fixture, event.request);
    case 'reprice':
      return repriceEntry(fixture, event.pick, event.price);
    case 'writeMalformed':
      return writeMalformedItem(fixture, event.pick % 2);
    case 'deliver':
      return simulateInvocation(fixture, event);
    case 'step':
      return simulateInvocation(fixture, { ...event, size: 0 });
    case 'timeOut':
      return timeOut(elementAt(fixture.shards, event.pick), event.isBisected);
    case 'split':
      return splitShard(fixture, event.pick % 2);
    case 'rewind':
      return fixture.shards.forEach((shard) => {
        rewind(shard, fixture.nowMs);
      });
    case 'deploy':
      // Lambda does not run two versions concurrently: running invocations have ended before the deployment.
      await endRuns(fixture, ['kill', 'finish']);
      fixture.isSecondVersion = true;
      return;
    case 'replay':
      return simulateReplay(fixture, event);
    case 'wait':
      return advanceClock(fixture, event.ms);
    case 'rebuild':
      return simulateRebuild(fixture, event);
    default:
      event satisfies never;
  }
}

async function simulateRebuild(
  fixture: RollupFixture,
  { pick, waitsForCutover, stages }: Event & { kind: 'rebuild' },
) {
  const organization = elementAt(fixture.organizations, pick);
  const cutoverMs = organization.rebuild?.cutoverMs ?? 0;
  if (waitsForCutover) fixture.nowMs = Math.max(fixture.nowMs, cutoverMs);
  for (const steps of stages) {
    await continueRebuild(fixture, organization);
    for (const { pick, outcome } of steps) await organization.rebuild?.run?.step(pick, outcome);
    if (waitsForCutover) await organization.rebuild?.run?.finish();
  }
}

/** Starts a replay, and continues all running replays. */
async function simulateReplay(fixture: RollupFixture, { pick, size, steps }: Event & { kind: 'replay' }) {
  await startReplay(fixture, pick, size);
  for (const step of steps) await elementAt(fixture.replays, step.pick).step(step.pick, step.outcome);
}

async function replayAll(fixture: RollupFixture) {
  await startReplay(fixture, 0, fixture.sentMessages);
  for (const replay of fixture.replays) await replay.finish();
}

interface InvocationEvent {
  pick: number;
  size: number;
  steps: { pick: number; outcome: CallOutcome }[];
  isBisected: boolean;
}

async function simulateInvocation(
  fixture: RollupFixture,
  { pick, size, steps, isBisected }: InvocationEvent,
) {
  const shard = elementAt(fixture.shards, pick);
  await deliver(fixture, shard, size);
  for (const next of steps) await step(shard, next);
  handleResult(shard, isBisected);
}

/** Ends runs that would take longer than a few minutes, and delivers records before they expire from the stream. */
async function advanceClock(fixture: RollupFixture, ms: number) {
  if (ms > 5 * minuteMs) {
    await endRuns(fixture, ['finish', 'kill']);
    const wouldExpire = fixture.shards.some((shard) =>
      shard.records
        .slice(shard.checkpoint)
        .some(({ writtenAtMs }) => fixture.nowMs + ms - writtenAtMs > streamRetentionMs - hourMs),
    );
    if (wouldExpire) await deliverAll(fixture);
  }
  fixture.nowMs += ms;
}

async function endRuns(fixture: RollupFixture, runEndings: Scenario['runEndings']) {
  const runs = [
    ...fixture.shards.flatMap(({ invocation, abandonedInvocations }) => [
      ...(invocation ? [invocation] : []),
      ...abandonedInvocations,
    ]),
    ...fixture.organizations.flatMap(({ rebuild }) => rebuild?.run ?? []),
    ...fixture.replays,
  ];
  for (const [index, run] of runs.entries()) {
    const ending = elementAt(runEndings, index);
    if (ending === 'finish') await run.finish();
    if (ending === 'kill') run.kill();
  }
  for (const shard of fixture.shards) {
    handleResult(shard, true);
    // Invocations that are still running are abandoned.
    timeOut(shard, false);
  }
}

/** Delivers all records without failures. Abandoned invocations keep running. */
async function deliverAll(fixture: RollupFixture) {
  while (!fixture.shards.every(isConsumed)) {
    for (const shard of fixture.shards) {
      await deliver(fixture, shard, 3);
      await shard.invocation?.finish();
      handleResult(shard, false);
    }
  }
}
