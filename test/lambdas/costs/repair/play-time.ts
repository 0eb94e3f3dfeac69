/** The clock, and what cannot take longer than it does. */
import type { InterruptedRun } from '../rollups/interrupted-run.ts';
import { type StreamShard, settle } from '../rollups/stream-shard.ts';
import { settleStreams } from './play-requests.ts';
import { isRunning, type Play } from './play-state.ts';
import { put } from './rebuild-world.ts';

export async function passTime(play: Play) {
  await advance(play, play.random.pick([200, 1500, 4000, 9000, 30_000]));
}

/** More than the margin of a rebuild, and longer than a stream keeps anything. */
export async function passDay(play: Play) {
  for (const { run } of play.readings) run.kill();
  for (const stream of play.world.streams) {
    for (const zombie of stream.zombies) zombie.kill();
    stream.invocation?.kill();
    settle(stream, false);
  }
  await advance(play, 1000);
  await settleStreams(play.world);
  await advance(play, 26 * 3_600_000);
}

/** Time passes. Writes land within a minute, functions end within one, readers within half of one. */
export async function advance(play: Play, ms: number) {
  const { world } = play;
  const nowMs = world.nowMs + ms;
  for (const stored of world.writes.filter(({ writtenAtMs }) => writtenAtMs + 55_000 < nowMs)) {
    world.writes.splice(world.writes.indexOf(stored), 1);
    await put(world, stored);
  }
  for (const reading of play.readings) if (reading.beganMs + 29_000 < nowMs) reading.run.kill();
  for (const stream of world.streams) endOldInvocations(play, stream, nowMs);
  world.nowMs = nowMs;
  for (const { run, timers } of play.rebuilds) {
    const due = timers.filter(({ atMs }) => atMs <= nowMs);
    for (const timer of due) timers.splice(timers.indexOf(timer), 1);
    if (isRunning({ run })) for (const { go } of due) go();
  }
  await new Promise(setImmediate);
}

function endOldInvocations({ invocations }: Play, stream: StreamShard, nowMs: number) {
  const isOld = (run: InterruptedRun | null) =>
    run !== null && (invocations.get(run) ?? nowMs) + 60_000 < nowMs;
  for (const zombie of stream.zombies.filter(isOld)) zombie.kill();
  if (isOld(stream.invocation)) stream.invocation?.kill();
  settle(stream, true);
}
