/** The end of a run: everything is recovered and counted, and every lease has expired. */
import { counterItemName } from '#lambdas/limits/counters/keys.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { successorsOf } from './actions.ts';
import { beginSettlement, settledUntil } from './function-actions.ts';
import { checkRest } from './invariants.ts';
import { organizationId, type State, type World } from './model.ts';
import { type Point, startOf } from './process.ts';
import { settlementProgram } from './programs.ts';
import { restoredEntry } from './request-actions.ts';

const minuteMs = 60_000;
const noEvents = { kills: 0, failures: 0, jumpsMs: [] };

/** True when no function is running. */
export function isAtRest({ requests, settlement, change }: State): boolean {
  return (
    settlement === null &&
    change.phase !== 'running' &&
    requests.every(({ point, phase, isKilled }) => isKilled || phase === 'waiting' || point.ended !== null)
  );
}

export async function checkEnd(world: World, state: State): Promise<void> {
  let current: State = { ...state, left: noEvents, nowMs: state.nowMs + 2 * minuteMs };
  current = { ...current, log: [...current.log, ...missingEntries(world, current)] };
  if (current.change.phase === 'failed') current = await completeChange(world, current);
  if (current.settled < current.log.length) {
    const point = await beginSettlement(world, current);
    current = { ...current, table: await completed(world, current, point), settled: current.log.length };
  }
  checkRest(world, current);
  current = { ...current, nowMs: current.nowMs + 49 * 60 * minuteMs };
  checkRest(world, { ...current, table: await cleaned(world, current) });
}

function missingEntries(world: World, state: State): State['log'] {
  return state.requests.flatMap((_, index) => restoredEntry(world, state, index) ?? []);
}

async function completeChange(world: World, state: State): Promise<State> {
  for (let current = state; ; ) {
    if (current.change.phase === 'done') return { ...current, before: null };
    const next = (await successorsOf(world, current)).find(({ action }) => action.startsWith('change: '));
    if (next === undefined) throw new Error('The change does not end');
    current = next;
  }
}

/** The table after all calls of the function, each as soon as possible. */
async function completed(world: World, state: State, point: Point<void>): Promise<State['table']> {
  const { memory } = world;
  memory.restore(state.table);
  for (let current = point; ; ) {
    const [pending] = current.pending;
    if (pending === undefined || pending.operation.kind !== 'call') {
      settledUntil(current, 0);
      return memory.snapshot();
    }
    const outcome = await pending.operation.execute().then(
      (value) => ({ value }),
      (error: Error) => ({ error }),
    );
    current = await current.resume(pending, outcome, state.nowMs);
  }
}

/** The rollup function removes what has expired with the next entry of each item. */
async function cleaned(world: World, state: State): Promise<State['table']> {
  const records = world.owners.flatMap(({ name, counterId, keys }) =>
    keys.map((_, index) => {
      const scope = { keyId: name === 'key' ? world.apiKey.id : null };
      const entry = logEntry({
        organization_id: organizationId,
        api_key_id: world.apiKey.id,
        created_at: new Date(state.nowMs).toISOString(),
        cost_usd: '0',
        reserved_usd: '0',
        budget_counters: [counterItemName(scope, { id: counterId }, index)],
      });
      return { sequenceNumber: `9${index}`.padStart(9, '9'), entry, before: null, writtenAtMs: state.nowMs };
    }),
  );
  const point = await startOf(settlementProgram(world.memory, records));
  const [start] = point.pending;
  if (start === undefined) throw new Error('The settlement does not start');
  return completed(world, state, await point.resume(start, { value: 'start' }, state.nowMs));
}
