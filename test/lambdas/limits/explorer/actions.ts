/** The actions that are possible in a state, and the states to which they lead. */
import { after } from './calls.ts';
import { changeSuccessors, settlementSuccessors } from './function-actions.ts';
import type { State, World } from './model.ts';
import { requestSuccessors } from './request-actions.ts';

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
