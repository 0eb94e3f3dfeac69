/** The actions of the functions that settle log entries and change limits. */
import { after, isInjected, makeCall, modesOf } from './calls.ts';
import { followCall } from './holds.ts';
import { recordsOf, type State, type World } from './model.ts';
import { type Point, startOf } from './process.ts';
import { limitProgram, settlementProgram } from './programs.ts';

interface Step {
  action: string;
  changes: Pick<State, 'table' | 'left' | 'requests'>;
  point: Point<void>;
}

/** The steps of a function that handles no request. */
async function stepsOf(world: World, state: State, point: Point<void>): Promise<Step[]> {
  const steps: Step[] = [];
  for (const pending of point.pending) {
    const { operation } = pending;
    if (operation.kind !== 'call') continue;
    for (const mode of modesOf(operation, state)) {
      const made = await makeCall(world.memory, state, operation, mode);
      if (made === null) continue;
      const { outcome, ...changes } = made;
      const requests = followCall(world, state, changes.table, {
        by: null,
        keys: operation.keys,
        name: operation.name,
      });
      const resumed = await point.resume(pending, outcome, state.nowMs);
      steps.push({ action: `${operation.name} ${mode}`, changes: { ...changes, requests }, point: resumed });
    }
  }
  return steps;
}

/** Begins without a choice. */
async function begun(create: () => Promise<Point<void>>, nowMs: number): Promise<Point<void>> {
  const point = await create();
  const [start] = point.pending;
  return start === undefined ? point : point.resume(start, { value: 'start' }, nowMs);
}

const settlements = new WeakMap<World, Map<string, Promise<Point<void>>>>();

export async function beginSettlement(world: World, state: State): Promise<Point<void>> {
  const records = recordsOf(world, state, { begin: state.settled, end: state.log.length });
  const known = settlements.get(world) ?? new Map<string, Promise<Point<void>>>();
  settlements.set(world, known);
  const text = JSON.stringify(records);
  const first = known.get(text) ?? startOf(settlementProgram(world.memory, records));
  known.set(text, first);
  return begun(() => first, state.nowMs);
}

export async function settlementSuccessors(world: World, state: State): Promise<State[]> {
  const { settlement, settled, log, left } = state;
  if (settlement === null) {
    if (settled === log.length || !world.scenario.settles) return [];
    const point = await beginSettlement(world, state);
    return [after(state, 'settlement: start', { settlement: { point, end: log.length } })];
  }
  const { end } = settlement;
  const next = (await stepsOf(world, state, settlement.point)).map(({ action, changes, point }) => {
    const progress =
      point.ended === null
        ? { settlement: { point, end } }
        : { settlement: null, ...settledUntil(point, end) };
    return after(state, `settlement: ${action}`, { ...changes, ...progress });
  });
  if (left.kills > 0) {
    const changes = { settlement: null, left: { ...left, kills: left.kills - 1 } };
    next.push(after(state, 'settlement: killed', changes));
  }
  return next;
}

/** Records are delivered again after a failure. */
export function settledUntil({ ended }: Point<void>, end: number): Pick<State, 'settled'> | null {
  if (ended === null || !('error' in ended)) return { settled: end };
  if (!isInjected(ended.error)) throw ended.error;
  return null;
}

export async function changeSuccessors(world: World, state: State): Promise<State[]> {
  const { change, left } = state;
  const { changedLimitUsd } = world.scenario;
  const [owner] = world.owners;
  if (changedLimitUsd === null || owner === undefined || change.phase === 'done') return [];
  if (change.point === null) {
    const { keys, counterId: id } = owner;
    const point = await begun(
      () => startOfChange(world, { keys, id, limitUsd: changedLimitUsd }),
      state.nowMs,
    );
    return [after(state, 'change: start', { change: { phase: 'running', point } })];
  }
  const next = (await stepsOf(world, state, change.point)).map(({ action, changes, point }) =>
    after(state, `change: ${action}`, { ...changes, change: changeAt(point) }),
  );
  if (left.kills > 0) {
    const killed = {
      change: { phase: 'failed', point: null },
      left: { ...left, kills: left.kills - 1 },
    } as const;
    next.push(after(state, 'change: killed', killed));
  }
  return next;
}

function changeAt(point: Point<void>): State['change'] {
  if (point.ended === null) return { phase: 'running', point };
  if (!('error' in point.ended)) return { phase: 'done', point: null };
  if (!isInjected(point.ended.error)) throw point.ended.error;
  return { phase: 'failed', point: null };
}

const changes = new WeakMap<World, Promise<Point<void>>>();

function startOfChange(world: World, change: Parameters<typeof limitProgram>[1]): Promise<Point<void>> {
  const first = changes.get(world) ?? startOf(limitProgram(world.memory, change));
  changes.set(world, first);
  return first;
}
