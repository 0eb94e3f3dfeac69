/** Requests that end, their entries' way into the table, and from there through the stream into the rollups. */
import { type Fate, fates } from '../rollups/interrupted-run.ts';
import { deliver, isConsumed, settle, step, timeOut } from '../rollups/stream-shard.ts';
import type { Play } from './play-state.ts';
import { interrupted, put, replace, stamp, type World } from './rebuild-world.ts';

export async function write({ world, random }: Play) {
  const minute = 60_000;
  const createdMs = world.nowMs - random.pick([0, 20, 3000, 14 * minute]);
  const fields = {
    model: random.pick(['a', 'b']),
    cost_usd: random.pick(['0', '0.000000000001', '0.1', '12.5']),
    pricing: random.pick(['table', 'table', 'unknown'] as const),
    user_id: random.pick([null, null, 'u']),
    session_id: random.pick([null, null, null, 's#1']),
    outcome: random.pick(['completed', 'completed', 'completed', 'rejected'] as const),
  };
  const isKilled = random.below(5) === 0;
  const known = isKilled ? { ...fields, ...interrupted } : fields;
  world.writes.push(stamp(world, { createdMs, shard: random.below(world.logShards), fields: known }));
}

/** The entry of a request that was taken for interrupted comes after all. */
export async function replacePlaceholder({ world, random }: Play) {
  const placeholders = world.entries.filter(({ entry }) => entry.outcome === interrupted.outcome);
  if (placeholders.length > 0) await replace(world, random.pick(placeholders));
}

export async function land({ world, random }: Play) {
  const [stored] = world.writes.splice(random.below(world.writes.length), 1);
  if (stored !== undefined) await put(world, stored);
}

export async function goOnWithStream(play: Play) {
  const { world, random } = play;
  const stream = random.pick(world.streams);
  await deliver(world, stream, 1 + random.below(4));
  if (stream.invocation !== null && !play.invocations.has(stream.invocation))
    play.invocations.set(stream.invocation, world.nowMs);
  for (let steps = random.below(12); steps > 0; steps -= 1)
    await step(stream, { pick: random.below(40), fate: fateOf(play) });
  settle(stream, random.below(2) === 0);
}

export async function timeOutInvocation({ world, random }: Play) {
  timeOut(random.pick(world.streams), random.below(2) === 0);
}

function fateOf({ random }: Play): Fate {
  return random.below(10) > 0 ? 'answered' : random.pick(fates);
}

export async function raise({ world }: Play) {
  world.logShards = Math.min(world.logShards + 1, 4);
}

/** The function counts all that there is, without mishaps. */
export async function settleStreams(world: World) {
  while (!world.streams.every(isConsumed)) {
    for (const stream of world.streams) {
      await deliver(world, stream, 20);
      await stream.invocation?.finish();
      settle(stream, false);
    }
  }
}
