/** When environments that are kept ready (`chatProvisionedConcurrency`) are cheaper than those that come on demand. */
import { chat } from './chat-footprint.ts';
import { prices, secondsOfMonth, toMicroDollars } from './prices.ts';

/** The five seconds of a million chats, on demand. */
export function onDemandMillionUsd(memoryMb: number): number {
  return toMicroDollars((memoryMb / 1024) * chat.seconds * 1e6 * prices.lambdaDuration.usd);
}

/** Of its time, an environment that is kept ready must be at work for this part to be no dearer. Memory has no say. */
export function breakEvenUse(): number {
  const { lambdaDuration, provisionedConcurrency, provisionedDuration } = prices;
  return provisionedConcurrency.usd / (lambdaDuration.usd - provisionedDuration.usd);
}

/** One environment, kept ready for a month, without a chat. */
export function readyMonthUsd(memoryMb: number): number {
  return toMicroDollars((memoryMb / 1024) * secondsOfMonth * prices.provisionedConcurrency.usd);
}

/** The five seconds of a million chats, in environments that are at work for this part of their time. */
export function provisionedMillionUsd(memoryMb: number, use: number): number {
  const gbSeconds = (memoryMb / 1024) * chat.seconds * 1e6;
  return toMicroDollars(
    gbSeconds * (prices.provisionedDuration.usd + prices.provisionedConcurrency.usd / use),
  );
}

export interface ReadyEnvironments {
  count: number;
  /** The part of their time in which they are at work. */
  use: number;
  /** The part of all chats that find one of them free. The others come on demand, where some have to wait for a start. */
  served: number;
}

/**
 * As many as pay, for chats that come at random at a steady rate: the last of them is at work for the break-even part of
 * its time or longer.
 */
export function cheapestCount(chatsPerSecond: number): ReadyEnvironments {
  const load = chatsPerSecond * chat.seconds;
  let best: ReadyEnvironments = { count: 0, use: 0, served: 0 };
  let blocked = 1;
  for (let count = 1; ; count++) {
    // Erlang's formula for calls that find all lines taken, in its recursive form.
    const stillBlocked = (load * blocked) / (count + load * blocked);
    if (load * (blocked - stillBlocked) < breakEvenUse()) return best;
    blocked = stillBlocked;
    best = { count, use: (load * (1 - blocked)) / count, served: 1 - blocked };
  }
}

/** What a million chats cost less with them, of their five seconds alone. */
export function savedMillionUsd(memoryMb: number, { use, served }: ReadyEnvironments): number {
  if (served === 0) return 0;
  return toMicroDollars(served * (onDemandMillionUsd(memoryMb) - provisionedMillionUsd(memoryMb, use)));
}
