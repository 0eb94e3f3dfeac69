/** The command under test, whose calls to DynamoDB are let through one by one, and readers beside it. */
import { expect } from 'vitest';
import { rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import { createRebuildStore } from '#lambdas/costs/repair/rebuild-state.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { fates, startRun } from '../rollups/interrupted-run.ts';
import { costRollupsOf, isRunning, keptOf, type Play, type RebuildRun } from './play-state.ts';
import { beginReading, type ReadSum } from './rebuild-readers.ts';
import { damage } from './rebuild-setup.ts';
import { expectedRows, requestsOfDays } from './rollup-truth.ts';

export async function goOnWithRebuild(play: Play) {
  const { random, rebuilds } = play;
  const running = rebuilds.filter(isRunning);
  // Two operators at once are rare.
  if (running.length === 0 || (running.length === 1 && random.below(60) === 0)) return beginRebuild(play);
  const { run } = random.pick(running);
  const isUnlucky = random.below(4) === 0;
  for (let steps = random.pick([1, 1, 2, 5, 12, 30, 60]); steps > 0; steps -= 1)
    await run.step(random.below(40), isUnlucky && random.below(8) === 0 ? random.pick(fates) : 'answered');
  await watch(play);
}

export async function beginRebuild(play: Play) {
  const { world } = play;
  const timers: RebuildRun['timers'] = [];
  const job = {
    signal: new AbortController().signal,
    report() {},
    wait: (ms: number) => new Promise<void>((go) => timers.push({ atMs: world.nowMs + ms, go })),
  };
  const run = await startRun(world.client, (client) =>
    rebuildRollups(world.partsWith(client, job), { organizationIds: [world.organizationId], isOfAll: false }),
  );
  play.hadTwoAtOnce ||= play.rebuilds.some(isRunning);
  play.rebuilds.push({ run, timers });
}

/** Takes note of the rebuild that is under way, and of the first that is over. */
export async function watch(play: Play) {
  const { world, countsFromMs } = play;
  const { rebuild, generation } = await createRebuildStore(costRollupsOf(world), world.organizationId).find();
  if (rebuild !== null) countsFromMs.set(rebuild.generation, rebuild.countsFromMs);
  if (generation > 0) play.firstRebuilt ??= generation;
}

export async function goOnWithReading(play: Play) {
  const { readings, random } = play;
  const open = readings.filter(isRunning);
  if (open.length === 0) readings.push(await beginReading(play.world));
  for (const { run } of open) {
    for (let steps = random.below(6); steps > 0; steps -= 1) await run.step(0, 'answered');
    if (run.outcome.kind === 'returned') checkReading(play, run.outcome.result);
  }
}

/** The former sums, of which there are too many, or the rebuilt ones: all that was written before, and nothing twice. */
function checkReading(play: Play, { state, requests }: ReadSum) {
  if (state.generation === 0) return expect(requests).toBeGreaterThanOrEqual(damage);
  const { world } = play;
  const before = ({ entry }: StoredLogEntry) => (world.firstWrittenMs.get(entry.id) ?? 0) < state.cutoverMs;
  const entries = world.entries.filter(before);
  expect(requests).toBeGreaterThanOrEqual(requestsOfDays(expectedRows({ ...world, entries }, keptOf(play))));
  expect(requests).toBeLessThanOrEqual(requestsOfDays(expectedRows(world, keptOf(play))));
}
