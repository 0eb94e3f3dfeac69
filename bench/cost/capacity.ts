/** When capacity that is paid for around the clock is cheaper than functions on demand. */
import { dollars, markdownTable, percent } from '../harness/figures.ts';
import { chat } from './chat.ts';
import { hoursOfMonth, prices, secondsOfMonth, toMicroDollars } from './prices.ts';

const gbSecondsOfMillion = (memoryMb: number) => (memoryMb / 1024) * chat.seconds * 1e6;

/** The five seconds of a million chats, on demand. */
export function onDemandMillionUsd(memoryMb: number): number {
  return toMicroDollars(gbSecondsOfMillion(memoryMb) * prices.lambdaDuration.usd);
}

/** Environments that `chatProvisionedConcurrency` keeps ready. */
export interface Provisioned {
  count: number;
  /** The share of time in which they are in use. */
  use: number;
  /** The share of all chats that find one of them free. The others run on demand. */
  served: number;
}

/** The share of its time for which an environment must be in use to cost no more than on demand, whatever its memory. */
export function breakEvenUse(): number {
  const { lambdaDuration, provisionedConcurrency, provisionedDuration } = prices;
  return provisionedConcurrency.usd / (lambdaDuration.usd - provisionedDuration.usd);
}

/** One environment for a month, without chats. */
export function provisionedMonthUsd(memoryMb: number): number {
  return toMicroDollars((memoryMb / 1024) * secondsOfMonth * prices.provisionedConcurrency.usd);
}

/** The five seconds of a million chats. */
export function provisionedMillionUsd(memoryMb: number, use: number): number {
  const { provisionedConcurrency, provisionedDuration } = prices;
  const gbSecondUsd = provisionedDuration.usd + provisionedConcurrency.usd / use;
  return toMicroDollars(gbSecondsOfMillion(memoryMb) * gbSecondUsd);
}

/**
 * The number with the lowest cost, for chats that arrive at random at a steady rate: the last environment is in use for at
 * least the break-even share of its time.
 */
export function cheapestProvisioned(chatsPerSecond: number): Provisioned {
  const load = chatsPerSecond * chat.seconds;
  let best: Provisioned = { count: 0, use: 0, served: 0 };
  let blocked = 1;
  for (let count = 1; ; count += 1) {
    // The Erlang B formula in its recursive form.
    const stillBlocked = (load * blocked) / (count + load * blocked);
    if (load * (blocked - stillBlocked) < breakEvenUse()) return best;
    blocked = stillBlocked;
    best = { count, use: (load * (1 - blocked)) / count, served: 1 - blocked };
  }
}

/** The difference for the five seconds of a million chats. */
export function savedMillionUsd(memoryMb: number, { use, served }: Provisioned): number {
  if (served === 0) return 0;
  return toMicroDollars(served * (onDemandMillionUsd(memoryMb) - provisionedMillionUsd(memoryMb, use)));
}

/** Lambda Managed Instances, which the gateway does not deploy. */
export interface ManagedInstances {
  instances: number;
  /** `PerExecutionEnvironmentMaxConcurrency`: chats at once in an environment, at most 64 a CPU for Node.js. */
  concurrency: number;
}

/** Lambda starts at least one in each of three zones. A NAT gateway in each lets them reach the providers. */
export const minInstances = 3;

/** Lambda reserves half of a c7g.large, which leaves room for one environment of the least size: one CPU and 2 GB. */
const environmentsPerInstance = 1;

export function instanceMonthUsd({ instances }: ManagedInstances): number {
  const { instances: instance, instanceManagement, natGateways } = prices;
  const hourly = instances * instance.usd * (1 + instanceManagement.usd) + minInstances * natGateways.usd;
  return toMicroDollars(hourly * hoursOfMonth);
}

/** Requests and responses between environment and provider, for a million chats. DynamoDB is reached without NAT. */
export function natMillionUsd(): number {
  return toMicroDollars(((chat.requestBytes + chat.responseBytes) / 1e9) * 1e6 * prices.natTraffic.usd);
}

/** In practice fewer, since scaling follows minutes behind the load. */
export function maxChatsPerSecond({ instances, concurrency }: ManagedInstances): number {
  return (instances * environmentsPerInstance * concurrency) / chat.seconds;
}

/** The five seconds of a million chats, if this share of the capacity is used. */
export function managedMillionUsd(managed: ManagedInstances, use: number): number {
  const millions = (maxChatsPerSecond(managed) * use * secondsOfMonth) / 1e6;
  return toMicroDollars(instanceMonthUsd(managed) / millions + natMillionUsd());
}

/** The rate from which the least instances are cheaper than functions with this memory; `null` for never. */
export function breakEvenChatsPerSecond(memoryMb: number, concurrency: number): number | null {
  const managed = { instances: minInstances, concurrency };
  const saved = onDemandMillionUsd(memoryMb) - natMillionUsd();
  if (saved <= 0) return null;
  const rate = ((instanceMonthUsd(managed) / saved) * 1e6) / secondsOfMonth;
  return rate <= maxChatsPerSecond(managed) ? rate : null;
}

export function provisionedTable(): string {
  return markdownTable(
    'One provisioned environment',
    [
      'Memory',
      'Idle, a month',
      'Duration of a million chats on demand',
      'Provisioned, always in use',
      'Break-even utilization',
    ],
    [128, 256, 512, 1024].map((memoryMb) => [
      `${memoryMb} MB`,
      dollars(provisionedMonthUsd(memoryMb)),
      dollars(onDemandMillionUsd(memoryMb)),
      dollars(provisionedMillionUsd(memoryMb, 1)),
      percent(breakEvenUse()),
    ]),
  );
}

export function cheapestTable(): string {
  return markdownTable(
    'The cheapest provisioned concurrency by traffic',
    [
      'Chats a second',
      'Environments',
      'Utilization',
      'Chats served by them',
      'Saved per million chats, 128 MB',
      '256 MB',
    ],
    [1, 10, 100, 1000].map((rate) => {
      const cheapest = cheapestProvisioned(rate);
      return [
        rate.toLocaleString('en'),
        cheapest.count,
        percent(cheapest.use),
        percent(cheapest.served),
        dollars(savedMillionUsd(128, cheapest)),
        dollars(savedMillionUsd(256, cheapest)),
      ];
    }),
  );
}

export function managedTable(): string {
  const rateText = (rate: number | null) => (rate === null ? 'never' : rate.toFixed(1));
  const idleUsd = instanceMonthUsd({ instances: minInstances, concurrency: 0 });
  return markdownTable(
    `Lambda Managed Instances: ${minInstances} × c7g.large with NAT gateways, $${dollars(idleUsd)} a month`,
    [
      'Concurrent chats per environment',
      'Max. chats a second',
      'A million chats at full load',
      'at half load',
      'Chats a second to break even with 128 MB on demand',
      'with 256 MB',
    ],
    [16, 64].map((concurrency) => {
      const managed = { instances: minInstances, concurrency };
      return [
        concurrency,
        maxChatsPerSecond(managed),
        dollars(managedMillionUsd(managed, 1)),
        dollars(managedMillionUsd(managed, 0.5)),
        rateText(breakEvenChatsPerSecond(128, concurrency)),
        rateText(breakEvenChatsPerSecond(256, concurrency)),
      ];
    }),
  );
}
