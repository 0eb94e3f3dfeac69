/** Conditions that hold in every state. */
import { periodsAt } from '#lambdas/limits/counters/counter.ts';
import { addUsd, isNegative, maxUsd, subtractUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import { type Amounts, amountsAt, amountsOf } from './amounts.ts';
import type { Hold, Owner, RequestState, State, World } from './model.ts';

export class InvariantError extends Error {}

function check(isTrue: boolean, message: string): void {
  if (!isTrue) throw new InvariantError(message);
}

export function checkState(world: World, state: State): void {
  for (const owner of world.owners) {
    for (const amounts of amountsOf(state, owner)) checkConservation(state, owner, amounts);
    checkBound(world, state, owner);
  }
  const { before } = state;
  for (const [index, request] of state.requests.entries()) {
    const former = before?.requests[index];
    if (former?.phase === request.phase) continue;
    if (request.phase === 'refused') checkRefusal(world, request);
    if (former?.phase === 'admitting' && request.phase === 'running') checkAdmission(world, state, index);
  }
}

/** Nothing is lost, and nothing is there twice. */
function checkConservation({ change }: State, { name }: Owner, amounts: Amounts): void {
  if (name === 'organization' && ['running', 'failed'].includes(change.phase)) return;
  const { period, limitUsd, roomUsd, spentUsd, pendingUsd, leasedUsd, expiredUsd } = amounts;
  const sum = [roomUsd, spentUsd, pendingUsd, leasedUsd, expiredUsd].reduce(addUsd);
  check(sum === limitUsd, `${name} ${period}: the parts of the limit ${limitUsd} add up to ${sum}`);
}

/** The cost of the request, or the most that it may still cost. The provider charges for killed ones too. */
function costBound({ scenario }: World, request: RequestState, index: number): Usd {
  const { maxUsd, costUsd } = scenario.requests[index] ?? { maxUsd: '0', costUsd: '0' };
  if (request.reservation === null) return '0';
  const isOpen = !request.isKilled && (request.phase === 'running' || request.phase === 'renewing');
  return isOpen ? maxUsd : costUsd;
}

/** The cost of the request beyond its reservation. */
function overrunOf(world: World, request: RequestState, index: number): Usd {
  return maxUsd(
    '0',
    subtractUsd(costBound(world, request, index), world.scenario.requests[index]?.maxUsd ?? '0'),
  );
}

/** The part of the cost that limits do not bound. */
function excessOf(world: World, request: RequestState, index: number, hold: Hold): Usd {
  if (hold.wasReleased || hold.end === 'failed') return costBound(world, request, index);
  return overrunOf(world, request, index);
}

function isIn(period: string, { receivedAtMs }: RequestState): boolean {
  return Object.values(periodsAt(receivedAtMs)).includes(period);
}

function limitsOf({ scenario }: World, { change }: State, { name, limitUsd }: Owner): Usd[] {
  const { changedLimitUsd } = scenario;
  if (name === 'key' || changedLimitUsd === null || change.phase === 'possible') return [limitUsd];
  return [limitUsd, changedLimitUsd];
}

/** The highest limit of the period is exceeded only by what limits do not bound. */
function checkBound(world: World, state: State, owner: Owner): void {
  const limit = limitsOf(world, state, owner).reduce(maxUsd);
  for (const { period } of amountsOf(state, owner)) {
    const bounded = state.requests
      .map((request, index) => {
        const hold = request.holds[owner.name];
        if (hold === undefined || !isIn(period, request)) return '0';
        return subtractUsd(costBound(world, request, index), excessOf(world, request, index, hold));
      })
      .reduce(addUsd, '0');
    check(toUnits(bounded) <= toUnits(limit), `${owner.name} ${period}: ${bounded} of ${limit} is used`);
  }
}

/**
 * The costs that the counter knew at the admission fit into the current limit, if no item owes anything. It does not know the costs
 * of requests whose lease was released before their end, or whose end has failed.
 */
function checkAdmission(world: World, state: State, admitted: number): void {
  const { receivedAtMs = 0 } = state.requests[admitted] ?? {};
  for (const owner of world.owners) {
    const limits = limitsOf(world, state, owner);
    const current = state.change.phase === 'done' ? limits.at(-1) : limits.reduce(maxUsd);
    for (const period of Object.values(periodsAt(receivedAtMs))) {
      const known = state.requests
        .map((request, index) => {
          const hold = request.holds[owner.name];
          if (hold === undefined || !isIn(period, request) || hold.end === 'failed') return '0';
          const bound = costBound(world, request, index);
          if (hold.end === 'made' || isSettled(state, index)) return bound;
          return hold.isReleased ? '0' : subtractUsd(bound, overrunOf(world, request, index));
        })
        .reduce(addUsd, '0');
      const { deficitUsd } = amountsAt(state, owner, period);
      const allowed = [current ?? '0', deficitUsd].reduce(addUsd);
      check(
        toUnits(known) <= toUnits(allowed),
        `${owner.name} ${period}: a request was admitted, with which ${known} of ${allowed} is used`,
      );
    }
  }
}

/** A request takes from several items only if they have enough together: the debt of one is missing to all. */
export function checkTogether(
  state: Pick<State, 'table' | 'nowMs'>,
  owner: Owner,
  receivedAtMs: number,
): void {
  for (const period of Object.values(periodsAt(receivedAtMs))) {
    const { roomUsd } = amountsAt(state, owner, period);
    check(
      !isNegative(roomUsd),
      `${owner.name} ${period}: ${roomUsd} remains after the request took from several items`,
    );
  }
}

function isSettled({ log, settled }: State, index: number): boolean {
  return log.slice(0, settled).some(({ request }) => request === index);
}

/**
 * Only if a budget has too little, also without the leases that have expired: of a single item, when it was read last, and of
 * several, which are read one after the other, at some time meanwhile.
 */
function checkRefusal({ owners }: World, { holds, point }: RequestState): void {
  const { ended } = point;
  if (ended === null || !('result' in ended) || ended.result.error?.code !== 'insufficient_quota') return;
  for (const counter of ended.result.reservation?.counters ?? []) {
    const owner = owners.find(({ name, counterId }) => counter.startsWith(`${name}/${counterId}/`));
    const { isCovered = false, wasAlwaysCovered = false } = holds[owner?.name ?? ''] ?? {};
    const isWrong = owner?.keys.length === 1 ? isCovered : isCovered && wasAlwaysCovered;
    check(!isWrong, `${counter} has refused a request although the budget covers it`);
  }
}

/** When no request is in progress and every lease has expired. */
export function checkRest(world: World, state: State): void {
  for (const owner of world.owners) {
    for (const amounts of amountsOf(state, owner)) {
      const { period, limitUsd, roomUsd, spentUsd, pendingUsd, leasedUsd, expiredUsd } = amounts;
      const name = `${owner.name} ${period}`;
      const costs = state.log
        .filter(({ request }) => {
          const logged = state.requests[request];
          return logged !== undefined && isIn(period, logged);
        })
        .map(({ request }) => world.scenario.requests[request]?.costUsd ?? '0');
      check(
        spentUsd === costs.reduce(addUsd, '0'),
        `${name}: ${spentUsd} was counted, not ${costs.join(' + ')}`,
      );
      check(leasedUsd === '0', `${name}: ${leasedUsd} is leased although no request is in progress`);
      check(pendingUsd === '0', `${name}: ${pendingUsd} is pending although everything is counted`);
      const left = addUsd(roomUsd, expiredUsd);
      const expected = subtractUsd(limitUsd, addUsd(spentUsd, pendingUsd));
      check(left === expected, `${name}: ${left} of ${limitUsd} remains, not ${expected}`);
    }
  }
}
