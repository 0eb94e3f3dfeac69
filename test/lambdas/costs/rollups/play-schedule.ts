/** Plays what may happen around the rollup function. */
import type { Fate } from './interrupted-run.ts';
import { at, rewrite, split, type World, write, writeForeign } from './rollup-world.ts';
import { type Event, hourMs, minuteMs, type Schedule } from './schedules.ts';
import { completeRebuild, goOnWithRebuild, switchGeneration } from './simulated-rebuild.ts';
import { beginReplay } from './simulated-replay.ts';
import { deliver, isConsumed, rewind, settle, step, streamRetentionMs, timeOut } from './stream-shard.ts';

/** Plays the schedule, and then whatever it takes until every record has been dealt with and no rebuild is left. */
export async function play(world: World, { events, ends, isEarlySwitch, encore }: Schedule): Promise<void> {
  for (const event of events) await playEvent(world, event);
  await endRuns(world, ends);
  for (const organization of isEarlySwitch ? world.organizations : []) {
    await completeRebuild(world, organization);
    await switchGeneration(world, organization);
  }
  await settleDown(world);
  if (encore !== null) {
    await replayAll(world);
    await wait(world, encore);
    world.isSecondVersion = true;
    for (const shard of world.shards) rewind(shard, world.nowMs);
    await settleDown(world);
  }
  await endRuns(world, ['finish']);
  await replayAll(world);
  for (const organization of world.organizations) await completeRebuild(world, organization);
}

async function playEvent(world: World, event: Event): Promise<void> {
  switch (event.kind) {
    case 'write':
      return write(world, event.request);
    case 'rewrite':
      return rewrite(world, event.pick, event.price);
    case 'writeForeign':
      return writeForeign(world, event.pick % 2);
    case 'deliver':
      return playSteps(world, event);
    case 'step':
      return playSteps(world, { ...event, size: 0 });
    case 'timeOut':
      return timeOut(at(world.shards, event.pick), event.isBisected);
    case 'split':
      return split(world, event.pick % 2);
    case 'rewind':
      return world.shards.forEach((shard) => {
        rewind(shard, world.nowMs);
      });
    case 'deploy':
      // Lambda does not run two versions of it at once: what is under way has ended by then, one way or the other.
      await endRuns(world, ['kill', 'finish']);
      world.isSecondVersion = true;
      return;
    case 'replay':
      return playReplay(world, event);
    case 'wait':
      return wait(world, event.ms);
    case 'rebuild':
      return playRebuild(world, event);
    default:
      event satisfies never;
  }
}

async function playRebuild(world: World, { pick, isPatient, stages }: Event & { kind: 'rebuild' }) {
  const organization = at(world.organizations, pick);
  const fromMs = organization.rebuild?.fromMs ?? 0;
  if (isPatient) world.nowMs = Math.max(world.nowMs, fromMs);
  for (const steps of stages) {
    await goOnWithRebuild(world, organization);
    for (const { pick, fate } of steps) await organization.rebuild?.run?.step(pick, fate);
    if (isPatient) await organization.rebuild?.run?.finish();
  }
}

/** Begins one, and goes on with all that are under way. */
async function playReplay(world: World, { pick, size, steps }: Event & { kind: 'replay' }) {
  await beginReplay(world, pick, size);
  for (const step of steps) await at(world.replays, step.pick).step(step.pick, step.fate);
}

async function replayAll(world: World) {
  await beginReplay(world, 0, world.sent);
  for (const replay of world.replays) await replay.finish();
}

interface Steps {
  pick: number;
  size: number;
  steps: { pick: number; fate: Fate }[];
  isBisected: boolean;
}

async function playSteps(world: World, { pick, size, steps, isBisected }: Steps) {
  const shard = at(world.shards, pick);
  await deliver(world, shard, size);
  for (const one of steps) await step(shard, one);
  settle(shard, isBisected);
}

/** Time passes. Nothing runs for longer than some minutes, and nothing stays in the stream for longer than a day. */
async function wait(world: World, ms: number) {
  if (ms > 5 * minuteMs) {
    await endRuns(world, ['finish', 'kill']);
    const isLate = world.shards.some((shard) =>
      shard.records
        .slice(shard.position)
        .some(({ writtenAtMs }) => world.nowMs + ms - writtenAtMs > streamRetentionMs - hourMs),
    );
    if (isLate) await settleDown(world);
  }
  world.nowMs += ms;
}

async function endRuns(world: World, ends: Schedule['ends']) {
  const runs = [
    ...world.shards.flatMap(({ invocation, zombies }) => [...(invocation ? [invocation] : []), ...zombies]),
    ...world.organizations.flatMap(({ rebuild }) => rebuild?.run ?? []),
    ...world.replays,
  ];
  for (const [index, run] of runs.entries()) {
    const end = at(ends, index);
    if (end === 'finish') await run.finish();
    if (end === 'kill') run.kill();
  }
  for (const shard of world.shards) {
    settle(shard, true);
    // What lingers is waited for no longer.
    timeOut(shard, false);
  }
}

/** Everything is brought and counted, without further mishaps; what lingers does so. */
async function settleDown(world: World) {
  while (!world.shards.every(isConsumed)) {
    for (const shard of world.shards) {
      await deliver(world, shard, 3);
      await shard.invocation?.finish();
      settle(shard, false);
    }
  }
}
