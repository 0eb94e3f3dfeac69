/** Follows what requests hold in the items, by the changes of the table. */

import { periodsAt } from '#lambdas/limits/counters/counter.ts';
import { toUnits } from '#lambdas/platform/money.ts';
import { amountsAt, availableUsd } from './amounts.ts';
import { checkTogether } from './invariants.ts';
import type { Hold, Owner, RequestState, State, World } from './model.ts';

export const noHold: Hold = {
  lease: null,
  isReleased: false,
  wasReleased: false,
  end: 'not made',
  isCovered: false,
  wasAlwaysCovered: true,
  owedUsd: '0',
};

interface FollowedCall {
  /** The request that has made the call; `null` for another function. */
  by: number | null;
  keys: readonly string[];
  name: string;
}

/** The requests after a call that has changed the table. */
export function followCall(
  world: World,
  state: State,
  table: State['table'],
  { by, keys, name: callName }: FollowedCall,
): RequestState[] {
  const released = new Set<string>();
  const increased = new Map<string, string>();
  let hasChanged = false;
  for (const key of keys) {
    const [before = {}, after = {}] = [state.table.get(key), table.get(key)];
    if (before === after) continue;
    hasChanged = true;
    for (const attribute of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (!attribute.startsWith('leased_')) continue;
      const [had, has] = [before[attribute]?.N, after[attribute]?.N];
      if (has === undefined) released.add(leaseName(key, attribute));
      else if (toUnits(has) > toUnits(had ?? '0')) increased.set(key, leaseName(key, attribute));
    }
  }
  return state.requests.map((request, index) => {
    const holds = Object.entries(request.holds).map(([name, hold]) => {
      const changed = { ...hold };
      if (hold.lease !== null && released.has(hold.lease)) {
        changed.isReleased = true;
        changed.wasReleased = true;
      }
      const owner = world.owners.find((one) => one.name === name);
      if (owner === undefined) return [name, changed] as const;
      const isOwnCall = index === by && keys.some((key) => owner.keys.includes(key));
      if (isOwnCall) {
        const { receivedAtMs } = request;
        const { deficitUsd } = amountsAt(state, owner, periodsAt(receivedAtMs).day);
        if (callName === 'update') changed.owedUsd = request.phase === 'admitting' ? deficitUsd : '0';
        // It cannot know what the others have begun to owe since it has read them.
        const isKnown = deficitUsd === hold.owedUsd;
        if (callName === 'update together' && hasChanged && isKnown) {
          checkTogether({ ...state, table }, owner, receivedAtMs);
        }
        for (const key of owner.keys) {
          const lease = increased.get(key);
          if (lease === undefined) continue;
          changed.lease = lease;
          changed.isReleased = false;
        }
        if (request.phase === 'ending' && hasChanged) changed.end = 'made';
      }
      if (request.phase === 'admitting') {
        const covers = isCovered(world, { ...state, table }, owner, index);
        if (isOwnCall) changed.isCovered = covers;
        if (!covers) changed.wasAlwaysCovered = false;
      }
      return [name, changed] as const;
    });
    return { ...request, holds: Object.fromEntries(holds) };
  });
}

function leaseName(key: string, attribute: string): string {
  return `${key} ${attribute}`;
}

/** True if the remaining budget suffices for the request. */
function isCovered({ scenario }: World, state: State, owner: Owner, index: number): boolean {
  const { receivedAtMs = 0 } = state.requests[index] ?? {};
  const { maxUsd = '0' } = scenario.requests[index] ?? {};
  return Object.values(periodsAt(receivedAtMs)).every(
    (period) => toUnits(availableUsd(amountsAt(state, owner, period))) >= toUnits(maxUsd),
  );
}

/** Coverage matters only for refusals. */
export function admittedHolds(holds: RequestState['holds']): RequestState['holds'] {
  const { isCovered, wasAlwaysCovered, owedUsd } = noHold;
  return mapHolds(holds, (hold) => ({ ...hold, isCovered, wasAlwaysCovered, owedUsd }));
}

/** An end that was not made by now has failed. */
export function endHolds(holds: RequestState['holds']): RequestState['holds'] {
  return mapHolds(holds, (hold) => (hold.end === 'made' ? hold : { ...hold, end: 'failed' }));
}

function mapHolds(holds: RequestState['holds'], change: (hold: Hold) => Hold): RequestState['holds'] {
  return Object.fromEntries(Object.entries(holds).map(([name, hold]) => [name, change(hold)]));
}
