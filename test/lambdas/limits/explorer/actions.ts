/** The actions that are possible in a state, and the states to which they lead. */
import type { MemoryTable } from '#test/support/dynamodb/memory/table.ts';
import { admittedHolds, endHolds, followCall } from './holds.ts';
import { type LoggedEntry, type RequestState, recordsOf, type State, type World } from './model.ts';
import { type Outcome, type PendingOperation, type Point, startOf, type TableCall } from './process.ts';
import { limitProgram, settlementProgram } from './programs.ts';

/** The effect and the result of a call. */
type CallMode = 'made' | 'not made' | 'made without a response' | 'made twice';

class CallFailedError extends Error {}

export function isInjected(error: unknown): boolean {
  return error instanceof CallFailedError;
}

/** The states after each action that is possible. */
export async function successorsOf(world: World, state: State): Promise<State[]> {
  const next: (State | null)[] = [];
  for (const [index, request] of state.requests.entries()) {
    next.push(...(await requestSuccessors(world, state, index, request)));
  }
  next.push(...(await settlementSuccessors(world, state)), ...(await changeSuccessors(world, state)));
  next.push(jumpSuccessor(state));
  return next.filter((one) => one !== null);
}

function after(state: State, action: string, changes: Partial<State>): State {
  return { ...state, ...changes, before: state, action };
}

function withRequest(
  { requests }: State,
  index: number,
  changes: Partial<RequestState>,
): Pick<State, 'requests'> {
  return { requests: requests.map((one, place) => (place === index ? { ...one, ...changes } : one)) };
}

async function requestSuccessors(
  world: World,
  state: State,
  index: number,
  request: RequestState,
): Promise<(State | null)[]> {
  const { point, phase, isKilled } = request;
  const name = `request ${index}`;
  if (isKilled) return [recovered(state, index, request)];
  if (point.ended !== null) return [];
  const next: (State | null)[] = [];
  for (const pending of point.pending) {
    const { operation } = pending;
    if (operation.kind === 'call') {
      for (const mode of modesOf(operation, state)) {
        const made = await makeCall(world.memory, state, operation, mode);
        if (made === null) continue;
        const { outcome, ...changes } = made;
        const followed = followCall(world, state, changes.table, { by: index, keys: operation.keys });
        const resumed = await resume({ ...state, ...changes, requests: followed }, index, pending, outcome);
        next.push(after(state, `${name}: ${operation.name} ${mode}`, { ...changes, ...resumed }));
      }
    } else if (operation.kind === 'entry') {
      const entry: LoggedEntry = {
        request: index,
        pendingUsd: costOf(world, index),
        writtenAtMs: state.nowMs,
      };
      const resumed = await resume(state, index, pending, { value: null });
      next.push(after(state, `${name}: entry`, { ...resumed, log: [...state.log, entry] }));
    } else {
      for (const option of operation.options) {
        if (
          option === 'renew' &&
          (request.renewals === world.scenario.maxRenewals || !canRenew(state, request))
        )
          continue;
        const resumed = await resume(state, index, pending, { value: option });
        next.push(after(state, `${name}: ${option}`, resumed));
      }
    }
  }
  if (phase !== 'waiting' && state.left.kills > 0) {
    const left = { ...state.left, kills: state.left.kills - 1 };
    next.push(after(state, `${name}: killed`, { ...withRequest(state, index, { isKilled: true }), left }));
  }
  return next;
}

/** A renewal in the same bucket of time does nothing. */
function canRenew({ nowMs }: State, { leasedAtMs }: RequestState): boolean {
  return nowMs > leasedAtMs;
}

function costOf({ scenario }: World, index: number): string {
  return scenario.requests[index]?.costUsd ?? '0';
}

/** What the request waits for now shows how far it is. */
async function resume(
  state: State,
  index: number,
  pending: PendingOperation,
  outcome: Outcome,
): Promise<Pick<State, 'requests'>> {
  const request = state.requests[index];
  if (request === undefined) throw new Error('There is no such request');
  const point = await request.point.resume(pending, outcome, state.nowMs);
  const { operation } = point.pending.at(0) ?? {};
  const choice = 'value' in outcome ? outcome.value : null;
  const changes: Partial<RequestState> = { point };
  if (pending.operation.kind === 'choice') {
    if (choice === 'start') changes.receivedAtMs = state.nowMs;
    if (choice !== 'end') changes.leasedAtMs = state.nowMs;
    if (choice === 'renew') changes.renewals = request.renewals + 1;
    changes.phase = choice === 'start' ? 'admitting' : choice === 'renew' ? 'renewing' : 'ending';
  }
  if (operation?.kind === 'choice') {
    changes.phase = 'running';
    changes.holds = admittedHolds(request.holds);
    changes.reservation = operation.reservation ?? null;
  }
  if (operation?.kind === 'entry') {
    changes.phase = 'ended';
    changes.leasedAtMs = 0;
    changes.holds = endHolds(request.holds);
  }
  if (point.ended !== null) {
    if ('error' in point.ended) throw point.ended.error;
    changes.phase = point.ended.result.error === null ? 'logged' : 'refused';
  }
  return withRequest(state, index, changes);
}

/** Much later, from the placeholder of the entry. */
function recovered(state: State, index: number, request: RequestState): State | null {
  const { log, left } = state;
  const isSent = request.reservation !== null && log.every((entry) => entry.request !== index);
  if (!isSent || left.jumpsMs.length > 0) return null;
  const entry: LoggedEntry = { request: index, pendingUsd: null, writtenAtMs: state.nowMs };
  return after(state, `request ${index}: recovered`, { log: [...log, entry] });
}

function modesOf({ isRepeated }: TableCall, { left }: State): CallMode[] {
  if (left.failures === 0) return ['made'];
  return ['made', 'not made', 'made without a response', ...(isRepeated ? (['made twice'] as const) : [])];
}

/** `null` if the mode makes no difference. */
async function makeCall(
  memory: MemoryTable,
  { table, left }: State,
  { execute }: TableCall,
  mode: CallMode,
): Promise<(Pick<State, 'table' | 'left'> & { outcome: Outcome }) | null> {
  const failures = left.failures - (mode === 'made' ? 0 : 1);
  const changed = { left: { ...left, failures } };
  if (mode === 'not made') return { ...changed, table, outcome: { error: new CallFailedError(mode) } };
  memory.restore(table);
  const execution = async (): Promise<Outcome> =>
    execute().then(
      (value) => ({ value }),
      (error: Error) => ({ error }),
    );
  let outcome = await execution();
  if (mode !== 'made' && memory.snapshot() === table) return null;
  if (mode === 'made twice') outcome = await execution();
  if (mode === 'made without a response') outcome = { error: new CallFailedError(mode) };
  return { ...changed, table: memory.snapshot(), outcome };
}

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
      const requests = followCall(world, state, changes.table, { by: null, keys: operation.keys });
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

async function settlementSuccessors(world: World, state: State): Promise<State[]> {
  const { settlement, settled, log, left } = state;
  if (settlement === null) {
    if (settled === log.length) return [];
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

async function changeSuccessors(world: World, state: State): Promise<State[]> {
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

export function changeAt(point: Point<void>): State['change'] {
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

/** Calls of requests have timeouts of seconds: the clock advances only while they have none. */
function jumpSuccessor(state: State): State | null {
  const { left, requests } = state;
  const [jumpMs, ...jumpsMs] = left.jumpsMs;
  const isCalling = requests.some(
    ({ isKilled, point }) => !isKilled && point.pending.some(({ operation }) => operation.kind === 'call'),
  );
  if (jumpMs === undefined || isCalling) return null;
  return after(state, `the clock advances by ${jumpMs / 1000} s`, {
    nowMs: state.nowMs + jumpMs,
    left: { ...left, jumpsMs },
  });
}
