/** Holds the reservation and the place of a request in the items of its limits, from its admission to its end. */
import type { Usd } from '#lambdas/platform/money.ts';
import type { BudgetScope } from './budgets/budget.ts';
import type { ItemTable } from './counters/item-writes.ts';
import { endLease, type ItemLease, type LeaseEnd, renewLease } from './counters/lease-writes.ts';
import { renewalIntervalMs } from './counters/leases.ts';
import type { ItemShare } from './counters/shares.ts';
import { refillUs } from './rates/rate.ts';

export interface HeldItem {
  scope: BudgetScope;
  lease: ItemLease;
  share: ItemShare;
  /** The name of the counter's item in the log entry; `null` if nothing is reserved. */
  counter: string | null;
}

export interface RequestEnd {
  costUsd: Usd;
  /** The sum of input and output. */
  tokens: number;
}

export interface RequestLease {
  /** Never rejects: a renewal that has failed is repeated by the next one. */
  renew(): Promise<void>;
  /** Replaces the reservation with the cost, and the assumed tokens with the actual ones. Never rejects. */
  end(result: RequestEnd): Promise<void>;
  /** Replaces the reservation with the cost of an attempt, and keeps the place of the request. Never rejects. */
  settle(costUsd: Usd): Promise<void>;
  /** Returns everything: the request is not sent. Never rejects. */
  cancel(): Promise<void>;
}

/** The effect of a failed write: on the request, or on what it holds. */
export type LimitFailure = 'refused' | 'not limited' | 'not renewed' | 'not ended';

interface LeaseDependencies extends ItemTable {
  onFailure(error: unknown, scope: BudgetScope, effect: LimitFailure): void;
}

/** `null` if nothing is held. */
export function createRequestLease(
  dependencies: LeaseDependencies,
  held: readonly HeldItem[],
): RequestLease | null {
  if (held.length === 0) return null;
  const renewable = () => held.filter(({ lease }) => lease.budget !== null || lease.isCounted);
  const forEach = async (
    items: readonly HeldItem[],
    effect: LimitFailure,
    write: (item: HeldItem) => Promise<void>,
  ) => {
    const writes = items.map((item) =>
      write(item).catch((error: unknown) => dependencies.onFailure(error, item.scope, effect)),
    );
    await Promise.all(writes);
  };
  const endAll = (endOf: (item: HeldItem) => LeaseEnd | null) =>
    forEach(held, 'not ended', async (item) => {
      const end = endOf(item);
      if (end !== null) await endLease(dependencies, item.lease, end);
    });
  return {
    renew: () => forEach(renewable(), 'not renewed', ({ lease }) => renewLease(dependencies, lease)),
    end: (result) => endAll((item) => endOf(item, result)),
    settle: (costUsd) =>
      forEach(held, 'not ended', async ({ lease }) => {
        if (lease.budget === null) return;
        const reserved = { ...lease, isCounted: false };
        // The write is not repeated, even if it fails.
        lease.budget = null;
        await endLease(dependencies, reserved, { costUsd, correctionsUs: {} });
      }),
    cancel: () => endAll(cancellationOf),
  };
}

/** `null` if there is nothing to write. */
function endOf({ lease, share }: HeldItem, { costUsd, tokens }: RequestEnd): LeaseEnd | null {
  const { tokens_per_minute: chargedUs } = share.rates.chargesUs;
  const { tokens_per_minute: perMinute } = share.parts;
  if (chargedUs === undefined || perMinute === null) {
    return lease.budget === null && !lease.isCounted ? null : { costUsd, correctionsUs: {} };
  }
  return { costUsd, correctionsUs: { tokens_per_minute: refillUs(tokens, perMinute) - chargedUs } };
}

function cancellationOf({ share }: HeldItem): LeaseEnd {
  const { chargesUs } = share.rates;
  const correctionsUs = Object.fromEntries(Object.entries(chargesUs).map(([name, us]) => [name, -us]));
  return { costUsd: '0', correctionsUs };
}

/** The lease of a request that is sent. */
export type RenewedLease = Pick<RequestLease, 'settle' | 'end'>;

/** Renews the lease regularly until it ends. */
export function renewRegularly(lease: RequestLease): RenewedLease {
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    renewing = lease.renew();
  }, renewalIntervalMs).unref();
  return {
    async settle(costUsd) {
      await renewing;
      await lease.settle(costUsd);
    },
    async end(result) {
      clearInterval(timer);
      // Only then is it known in which bucket the lease is.
      await renewing;
      await lease.end(result);
    },
  };
}
