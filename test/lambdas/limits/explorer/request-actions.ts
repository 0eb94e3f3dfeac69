/** The actions of requests, and the events that concern one of them. */
import { after, makeCall, modesOf } from './calls.ts';
import { admittedHolds, endHolds, followCall } from './holds.ts';
import type { LoggedEntry, RequestState, State, World } from './model.ts';
import type { Outcome, PendingOperation } from './process.ts';

function withRequest(
  { requests }: State,
  index: number,
  changes: Partial<RequestState>,
): Pick<State, 'requests'> {
  return { requests: requests.map((one, place) => (place === index ? { ...one, ...changes } : one)) };
}

export async function requestSuccessors(
  world: World,
  state: State,
  index: number,
  request: RequestState,
): Promise<(State | null)[]> {
  const { point, phase, isKilled } = request;
  const name = `request ${index}`;
  if (isKilled) return [recovered(world, state, index)];
  if (point.ended !== null) return [];
  const next: (State | null)[] = [];
  for (const pending of point.pending) {
    const { operation } = pending;
    if (operation.kind === 'call') {
      for (const mode of modesOf(operation, state)) {
        const made = await makeCall(world.memory, state, operation, mode);
        if (made === null) continue;
        const { outcome, ...changes } = made;
        const followed = followCall(world, state, changes.table, {
          by: index,
          keys: operation.keys,
          name: operation.name,
        });
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

/** The next operation shows how far the request is. */
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

/** Much later, from the lines of the log. */
function recovered(world: World, state: State, index: number): State | null {
  const entry = restoredEntry(world, state, index);
  if (entry === null || state.left.jumpsMs.length > 0) return null;
  return after(state, `request ${index}: recovered`, { log: [...state.log, entry] });
}

/**
 * The entry of a killed function: from the line with the whole entry, which is printed before the end is written, or else from
 * the placeholder. `null` if the request was not sent, or has its entry.
 */
export function restoredEntry(
  world: World,
  { requests, log, nowMs }: State,
  index: number,
): LoggedEntry | null {
  const request = requests[index];
  const isSent = request?.isKilled && request.reservation !== null;
  if (!isSent || log.some((entry) => entry.request === index)) return null;
  const hasLine = request.phase === 'ending' || request.phase === 'ended';
  return { request: index, pendingUsd: hasLine ? costOf(world, index) : null, writtenAtMs: nowMs };
}
