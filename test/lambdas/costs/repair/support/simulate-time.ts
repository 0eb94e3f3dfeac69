/** Simulates the clock, and ends everything that has reached its maximum duration. */
import type { InterruptibleRun } from '#test/lambdas/costs/rollups/support/interruptible-run.ts';
import { handleResult, type StreamShard } from '#test/lambdas/costs/rollups/support/stream-shard.ts';
import { putEntry } from './repair-fixture.ts';
import { drainShards } from './simulate-requests.ts';
import { isRunning, type Simulation } from './simulation.ts';

export async function advanceRandomly(simulation: Simulation) {
  await advance(simulation, simulation.random.pick([200, 1500, 4000, 9000, 30_000]));
}

/** Advances by more than the margin of a rebuild and the retention of the stream. */
export async function advanceDay(simulation: Simulation) {
  for (const { run } of simulation.reports) run.kill();
  for (const shard of simulation.fixture.shards) {
    for (const invocation of shard.abandonedInvocations) invocation.kill();
    shard.invocation?.kill();
    handleResult(shard, false);
  }
  await advance(simulation, 1000);
  await drainShards(simulation.fixture);
  await advance(simulation, 26 * 3_600_000);
}

/** Writes and invocations end within a minute, reports within half a minute. */
export async function advance(simulation: Simulation, ms: number) {
  const { fixture } = simulation;
  const nowMs = fixture.nowMs + ms;
  for (const stored of fixture.pendingWrites.filter(({ writtenAtMs }) => writtenAtMs + 55_000 < nowMs)) {
    fixture.pendingWrites.splice(fixture.pendingWrites.indexOf(stored), 1);
    await putEntry(fixture, stored);
  }
  for (const report of simulation.reports) if (report.startedMs + 29_000 < nowMs) report.run.kill();
  for (const shard of fixture.shards) killExpiredInvocations(simulation, shard, nowMs);
  fixture.nowMs = nowMs;
  for (const { run, timers } of simulation.rebuilds) {
    const due = timers.filter(({ atMs }) => atMs <= nowMs);
    for (const timer of due) timers.splice(timers.indexOf(timer), 1);
    if (isRunning({ run })) for (const { resume } of due) resume();
  }
  await new Promise(setImmediate);
}

function killExpiredInvocations({ invocationStartsMs }: Simulation, shard: StreamShard, nowMs: number) {
  const isExpired = (run: InterruptibleRun | null) =>
    run !== null && (invocationStartsMs.get(run) ?? nowMs) + 60_000 < nowMs;
  for (const invocation of shard.abandonedInvocations.filter(isExpired)) invocation.kill();
  if (isExpired(shard.invocation)) shard.invocation?.kill();
  handleResult(shard, true);
}
