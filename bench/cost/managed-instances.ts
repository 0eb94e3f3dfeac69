/** When Lambda Managed Instances would be cheaper than functions on demand. The gateway does not deploy them. */
import { chat } from './chat-footprint.ts';
import { hoursOfMonth, prices, secondsOfMonth, toMicroDollars } from './prices.ts';
import { onDemandMillionUsd } from './provisioned.ts';

/** Lambda starts three at the least, one in each zone, and a NAT gateway in each lets them reach the providers. */
export const fewestInstances = 3;

/** Half of a c7g.large is Lambda's, so it holds one environment, of the least size: one processor and 2 GB. */
const environmentsOfInstance = 1;

export interface ManagedInstances {
  instances: number;
  /** `PerExecutionEnvironmentMaxConcurrency`: chats at once in one environment; for Node.js at most 64 a processor. */
  concurrency: number;
}

/** What they cost in a month, with or without a chat. */
export function instanceMonthUsd({ instances }: ManagedInstances): number {
  const { instances: instance, instanceManagement, natGateways } = prices;
  const hourly = instances * instance.usd * (1 + instanceManagement.usd) + fewestInstances * natGateways.usd;
  return toMicroDollars(hourly * hoursOfMonth);
}

/** Request and answer between environment and provider, for a million chats. The tables are reached without it. */
export function natMillionUsd(): number {
  return toMicroDollars(((chat.requestBytes + chat.answerBytes) / 1e9) * 1e6 * prices.natTraffic.usd);
}

/** Chats a second that they can take. Scaling follows minutes behind, so nobody runs them that full. */
export function chatsPerSecondAtMost({ instances, concurrency }: ManagedInstances): number {
  return (instances * environmentsOfInstance * concurrency) / chat.seconds;
}

/** The five seconds of a million chats, when this part of what they can take is used. */
export function managedMillionUsd(managed: ManagedInstances, use: number): number {
  const millions = (chatsPerSecondAtMost(managed) * use * secondsOfMonth) / 1e6;
  return toMicroDollars(instanceMonthUsd(managed) / millions + natMillionUsd());
}

/** From how many chats a second on the fewest are cheaper than functions of this memory; `null` for never. */
export function breakEvenChatsPerSecond(memoryMb: number, concurrency: number): number | null {
  const managed = { instances: fewestInstances, concurrency };
  const saved = onDemandMillionUsd(memoryMb) - natMillionUsd();
  if (saved <= 0) return null;
  const rate = ((instanceMonthUsd(managed) / saved) * 1e6) / secondsOfMonth;
  return rate <= chatsPerSecondAtMost(managed) ? rate : null;
}
