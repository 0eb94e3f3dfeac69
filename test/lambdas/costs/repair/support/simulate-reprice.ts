/** Simulates the effects of `costs reprice` on the state and the stream. */

import { beginReprice, endReprice } from '#lambdas/costs/reprice/run.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { putEntry, retentionMs } from './repair-fixture.ts';
import { rollupsTableOf, type Simulation } from './simulation.ts';

export async function continueReprice(simulation: Simulation) {
  const { fixture, random } = simulation;
  if (simulation.reprice === null) {
    const run = {
      organizationId: fixture.organizationId,
      id: String(random.below(1e9)),
      startedAt: new Date(fixture.nowMs),
    };
    const started = await beginReprice(rollupsTableOf(fixture), run);
    if (started !== null) simulation.reprice = { id: run.id };
    return;
  }
  const isRepriceable = ({ entry }: StoredLogEntry) =>
    Date.parse(entry.created_at) + retentionMs > fixture.nowMs;
  const repriceable = fixture.entries.filter(isRepriceable);
  // Prefers the oldest entries, whose rows a rebuild may have to copy.
  const stored = random.pick(random.below(2) === 0 ? repriceable.slice(0, 2) : repriceable);
  const pricing = random.pick(['table', 'assumed'] as const);
  const entry = { ...stored.entry, cost_usd: random.pick(['0.3', '7']), pricing };
  if (random.below(3) > 0)
    await putEntry(fixture, {
      ...stored,
      entry,
      writtenAtMs: Math.max(fixture.nowMs, stored.writtenAtMs + 1),
    });
  else await finishReprice(simulation, simulation.reprice);
}

export async function finishReprice(simulation: Simulation, { id }: { id: string }) {
  const { organizationId, nowMs } = simulation.fixture;
  const now = new Date(nowMs);
  await endReprice(rollupsTableOf(simulation.fixture), { organizationId, id, startedAt: now }, now);
  simulation.reprice = null;
}
