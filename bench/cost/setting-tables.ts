/** What costs without a request, and when it pays to keep something ready. */
import { markdownTable } from '../shared/markdown-table.ts';
import { dollars, percent } from './dollars.ts';
import {
  breakEvenChatsPerSecond,
  chatsPerSecondAtMost,
  fewestInstances,
  instanceMonthUsd,
  managedMillionUsd,
} from './managed-instances.ts';
import { type ListPrice, prices, pricesReadOn } from './prices.ts';
import {
  breakEvenUse,
  cheapestCount,
  onDemandMillionUsd,
  provisionedMillionUsd,
  readyMonthUsd,
  savedMillionUsd,
} from './provisioned.ts';
import { restingRows } from './resting.ts';
import type { Template } from './setup.ts';

export function restingTable(template: Template): string {
  const rows = restingRows(template);
  const total = rows.reduce((sum, { usd }) => sum + usd, 0);
  return markdownTable(
    'A month without a request',
    ['Dollars', 'How many', 'What', 'Why'],
    [
      ...rows.map(({ types, count, usd, why }) => [
        dollars(usd),
        count,
        types.map(shortType).join(', '),
        why,
      ]),
      [`**${dollars(total)}**`, rows.reduce((sum, { count }) => sum + count, 0), '**All**', ''],
    ],
  );
}

function shortType(type: string): string {
  return `\`${type.replace('AWS::', '')}\``;
}

export function readyTable(): string {
  const use = breakEvenUse();
  return markdownTable(
    'One environment that is kept ready',
    [
      'Memory',
      'A month, idle',
      'A million chats on demand, the five seconds',
      'Ready, always at work',
      'Break-even',
    ],
    [128, 256, 512, 1024].map((memoryMb) => [
      `${memoryMb} MB`,
      dollars(readyMonthUsd(memoryMb)),
      dollars(onDemandMillionUsd(memoryMb)),
      dollars(provisionedMillionUsd(memoryMb, 1)),
      `at work ${percent(use)} of the time`,
    ]),
  );
}

export function cheapestTable(): string {
  return markdownTable(
    'As many as pay, by how busy the gateway is',
    [
      'Chats a second',
      'Environments',
      'At work',
      'Chats that find one ready',
      'Saved on a million chats, 128 MB',
      '256 MB',
    ],
    [0.1, 1, 10, 100, 1000].map((rate) => {
      const ready = cheapestCount(rate);
      return [
        rate.toLocaleString('en'),
        ready.count,
        percent(ready.use),
        percent(ready.served),
        dollars(savedMillionUsd(128, ready)),
        dollars(savedMillionUsd(256, ready)),
      ];
    }),
  );
}

export function managedTable(): string {
  return markdownTable(
    `Lambda Managed Instances: ${fewestInstances} of c7g.large with NAT gateways`,
    [
      'Chats at once in an environment',
      'A month, idle',
      'Chats a second at most',
      'A million chats when full',
      'half full',
      'Break-even with 128 MB on demand',
      'with 256 MB',
    ],
    [16, 32, 64].map((concurrency) => {
      const managed = { instances: fewestInstances, concurrency };
      return [
        concurrency,
        dollars(instanceMonthUsd(managed)),
        chatsPerSecondAtMost(managed),
        dollars(managedMillionUsd(managed, 1)),
        dollars(managedMillionUsd(managed, 0.5)),
        rateText(breakEvenChatsPerSecond(128, concurrency)),
        rateText(breakEvenChatsPerSecond(256, concurrency)),
      ];
    }),
  );
}

function rateText(chatsPerSecond: number | null): string {
  return chatsPerSecond === null ? 'never' : `${chatsPerSecond.toFixed(1)} chats a second`;
}

export function priceTable(): string {
  const all: ListPrice[] = Object.values(prices);
  return markdownTable(
    `List prices, looked up on ${pricesReadOn}`,
    ['Dollars', 'For a', 'Source'],
    all.map(({ usd, unit, source }) => [priceText(usd), unit, source]),
  );
}

/** All of its digits. */
function priceText(usd: number): string {
  return usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 10 });
}
