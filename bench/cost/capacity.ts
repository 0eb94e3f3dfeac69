/** Compares provisioned concurrency and Lambda Managed Instances, both billed around the clock, with on-demand functions. */
import { dollars, markdownTable, percent } from '../harness/figures.ts';
import { chat } from './chat.ts';
import { hoursPerMonth, prices, secondsPerMonth, toMicroDollars } from './prices.ts';

const gbSecondsPerMillion = (memoryMb: number) => (memoryMb / 1024) * chat.seconds * 1e6;

export function onDemandUsdPerMillion(memoryMb: number): number {
  return toMicroDollars(gbSecondsPerMillion(memoryMb) * prices.lambdaDuration.usd);
}

/** Execution environments that `chatProvisionedConcurrency` keeps initialized. */
interface ProvisionedCapacity {
  count: number;
  /** Share of the time during which an environment processes a chat. */
  utilization: number;
  /** Share of all chats that run in a provisioned environment. The others run on demand. */
  servedShare: number;
}

/** Utilization above which a provisioned environment is cheaper than on demand. Independent of the memory size. */
export function breakEvenUtilization(): number {
  const { lambdaDuration, provisionedConcurrency, provisionedDuration } = prices;
  return provisionedConcurrency.usd / (lambdaDuration.usd - provisionedDuration.usd);
}

export function provisionedUsdPerMonth(memoryMb: number): number {
  return toMicroDollars((memoryMb / 1024) * secondsPerMonth * prices.provisionedConcurrency.usd);
}

export function provisionedUsdPerMillion(memoryMb: number, utilization: number): number {
  const { provisionedConcurrency, provisionedDuration } = prices;
  const gbSecondUsd = provisionedDuration.usd + provisionedConcurrency.usd / utilization;
  return toMicroDollars(gbSecondsPerMillion(memoryMb) * gbSecondUsd);
}

/**
 * Returns the provisioned concurrency with the lowest cost for Poisson arrivals at this rate. The last environment to be
 * added still reaches the break-even utilization.
 */
export function cheapestProvisioned(chatsPerSecond: number): ProvisionedCapacity {
  const offeredLoad = chatsPerSecond * chat.seconds;
  let best: ProvisionedCapacity = { count: 0, utilization: 0, servedShare: 0 };
  let blockedShare = 1;
  for (let count = 1; ; count += 1) {
    // The recursive form of the Erlang B formula.
    const nextBlockedShare = (offeredLoad * blockedShare) / (count + offeredLoad * blockedShare);
    if (offeredLoad * (blockedShare - nextBlockedShare) < breakEvenUtilization()) return best;
    blockedShare = nextBlockedShare;
    const servedShare = 1 - blockedShare;
    best = { count, utilization: (offeredLoad * servedShare) / count, servedShare };
  }
}

/** Compared with the duration cost on demand. */
export function savedUsdPerMillion(
  memoryMb: number,
  { utilization, servedShare }: ProvisionedCapacity,
): number {
  if (servedShare === 0) return 0;
  return toMicroDollars(
    servedShare * (onDemandUsdPerMillion(memoryMb) - provisionedUsdPerMillion(memoryMb, utilization)),
  );
}

/** Lambda Managed Instances, which the gateway does not deploy. */
interface ManagedInstances {
  instances: number;
  /** `PerExecutionEnvironmentMaxConcurrency`: concurrent chats per environment, at most 64 per CPU for Node.js. */
  concurrency: number;
}

/** Lambda starts at least one instance in each of three zones, and each zone needs a NAT gateway to reach the providers. */
const minInstances = 3;

/** Lambda reserves half of a c7g.large, which leaves room for one environment of the minimum size: one CPU and 2 GB. */
const environmentsPerInstance = 1;

function instancesUsdPerMonth({ instances }: ManagedInstances): number {
  const { instances: instance, instanceManagement, natGateways } = prices;
  const hourly = instances * instance.usd * (1 + instanceManagement.usd) + minInstances * natGateways.usd;
  return toMicroDollars(hourly * hoursPerMonth);
}

/** NAT cost of a million chats: requests to the provider and its responses. DynamoDB traffic does not use NAT. */
function natUsdPerMillion(): number {
  return toMicroDollars(((chat.requestBytes + chat.responseBytes) / 1e9) * 1e6 * prices.natTraffic.usd);
}

/** An upper bound: in practice throughput is lower, since scaling lags minutes behind the load. */
function maxChatsPerSecond({ instances, concurrency }: ManagedInstances): number {
  return (instances * environmentsPerInstance * concurrency) / chat.seconds;
}

export function managedUsdPerMillion(managed: ManagedInstances, utilization: number): number {
  const millions = (maxChatsPerSecond(managed) * utilization * secondsPerMonth) / 1e6;
  return toMicroDollars(instancesUsdPerMonth(managed) / millions + natUsdPerMillion());
}

/**
 * Returns the rate above which the minimum number of instances is cheaper than on-demand functions with this memory, or
 * `null` when they cannot serve that rate or never get cheaper.
 */
export function breakEvenChatsPerSecond(memoryMb: number, concurrency: number): number | null {
  const managed = { instances: minInstances, concurrency };
  const savedUsd = onDemandUsdPerMillion(memoryMb) - natUsdPerMillion();
  if (savedUsd <= 0) return null;
  const rate = ((instancesUsdPerMonth(managed) / savedUsd) * 1e6) / secondsPerMonth;
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
      dollars(provisionedUsdPerMonth(memoryMb)),
      dollars(onDemandUsdPerMillion(memoryMb)),
      dollars(provisionedUsdPerMillion(memoryMb, 1)),
      percent(breakEvenUtilization()),
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
        percent(cheapest.utilization),
        percent(cheapest.servedShare),
        dollars(savedUsdPerMillion(128, cheapest)),
        dollars(savedUsdPerMillion(256, cheapest)),
      ];
    }),
  );
}

export function managedTable(): string {
  const rateText = (rate: number | null) => (rate === null ? 'never' : rate.toFixed(1));
  const idleUsd = instancesUsdPerMonth({ instances: minInstances, concurrency: 0 });
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
        dollars(managedUsdPerMillion(managed, 1)),
        dollars(managedUsdPerMillion(managed, 0.5)),
        rateText(breakEvenChatsPerSecond(128, concurrency)),
        rateText(breakEvenChatsPerSecond(256, concurrency)),
      ];
    }),
  );
}
