/** A run of `costs reprice`, as far as the state and the stream see it. */

import { beginReprice, endReprice } from '#lambdas/costs/reprice/run.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { costRollupsOf, type Play } from './play-state.ts';
import { interrupted, put, retentionMs } from './rebuild-world.ts';

export async function goOnWithReprice(play: Play) {
  const { world, random } = play;
  if (play.reprice === null) {
    const run = {
      organizationId: world.organizationId,
      id: String(random.below(1e9)),
      startedAt: new Date(world.nowMs),
    };
    const begun = await beginReprice(costRollupsOf(world), run);
    if (begun !== null) play.reprice = { id: run.id };
    return;
  }
  // What stands in for an entry has no usage that could be priced.
  const isKept = ({ entry }: StoredLogEntry) =>
    entry.outcome !== interrupted.outcome && Date.parse(entry.created_at) + retentionMs > world.nowMs;
  const kept = world.entries.filter(isKept);
  // The oldest are those that a rebuild may have to copy.
  const old = random.pick(random.below(2) === 0 ? kept.slice(0, 2) : kept);
  const entry = { ...old.entry, cost_usd: random.pick(['0.3', '7']), pricing: 'table' as const };
  if (random.below(3) > 0)
    await put(world, { entry, writtenAtMs: Math.max(world.nowMs, old.writtenAtMs + 1) });
  else await endRepricing(play, play.reprice);
}

export async function endRepricing(play: Play, { id }: { id: string }) {
  const { organizationId, nowMs } = play.world;
  const now = new Date(nowMs);
  await endReprice(costRollupsOf(play.world), { organizationId, id, startedAt: now }, now);
  play.reprice = null;
}
