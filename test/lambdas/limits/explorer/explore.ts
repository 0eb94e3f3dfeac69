/**
 * Explores every order in which the calls of functions, and the events of a scenario, can come. States that were reached before
 * are not explored again. The states come by their distance from the first one: so the first that violates an invariant shows
 * one of the shortest schedules.
 */

import { successorsOf } from './actions.ts';
import { checkEnd, isAtRest } from './finish.ts';
import { noHold } from './holds.ts';
import { checkState } from './invariants.ts';
import { createWorld, type Scenario, type State, scheduleOf, textOf, type World } from './model.ts';
import { startOf } from './process.ts';
import { requestProgram } from './programs.ts';

export interface Exploration {
  states: number;
  /** The number of states in which no function was running. */
  ends: number;
  refusals: number;
}

export async function explore(scenario: Scenario): Promise<Exploration> {
  const world = await createWorld(scenario);
  const first = await firstState(world);
  const known = new Set([textOf(first)]);
  const ends = new Set<string>();
  let refusals = 0;
  let states: State[] = [first];
  while (states.length > 0) {
    const next: State[] = [];
    for (const state of states) {
      for (const successor of await checked(state, () => successorsOf(world, state))) {
        const text = textOf(successor);
        if (known.has(text)) continue;
        known.add(text);
        await checked(successor, () => checkState(world, successor));
        if (isAtRest(successor)) {
          ends.add(text);
          await checked(successor, () => checkEnd(world, successor));
        }
        if (
          successor.requests.some(
            ({ phase }, index) => phase === 'refused' && state.requests[index]?.phase !== phase,
          )
        ) {
          refusals += 1;
        }
        next.push(successor);
      }
    }
    states = next;
  }
  return { states: known.size, ends: ends.size, refusals };
}

async function firstState({ scenario, memory, apiKey, owners }: World): Promise<State> {
  const table = memory.snapshot();
  const requests = await Promise.all(
    scenario.requests.map(async (plan) => ({
      point: await startOf(requestProgram(memory, apiKey, plan)),
      phase: 'waiting' as const,
      isKilled: false,
      receivedAtMs: 0,
      leasedAtMs: 0,
      reservation: null,
      renewals: 0,
      holds: Object.fromEntries(owners.map(({ name }) => [name, noHold])),
    })),
  );
  return {
    table,
    nowMs: scenario.startMs,
    requests,
    log: [],
    settled: 0,
    settlement: null,
    change: { phase: 'possible', point: null },
    left: scenario.events,
    before: null,
    action: '',
  };
}

/** Adds the schedule to an error. */
async function checked<Result>(state: State, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${String(error)}\nafter\n${scheduleOf(state).join('\n')}`, { cause: error });
  }
}
