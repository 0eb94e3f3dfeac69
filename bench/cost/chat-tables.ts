/** What a million chats cost: line by line, by what callers attach, and by how busy the gateway is. */
import { markdownTable } from '../shared/markdown-table.ts';
import { chat, footprintOf, type Mix, metadataOf, rollupRows } from './chat-footprint.ts';
import { dollars, sideBySide, totalRow } from './dollars.ts';
import {
  egressLine,
  keptLines,
  type Line,
  type Load,
  requestLines,
  restLines,
  rollupLines,
  totalOf,
} from './per-chat.ts';
import { secondsOfMonth } from './prices.ts';
import { cheapestCount, savedMillionUsd } from './provisioned.ts';
import type { Setup } from './setup.ts';

const memories = [128, 256, 512, 1024];
const leastMemory = 128;
const target = 10;

/** One organization; every pair of key and model is as likely as any other. */
const usualMix: Mix = { models: 12, keys: 2, metadata: 'no header' };
const simpleMix: Mix = { models: 1, keys: 1, metadata: 'no header' };

const busyRate = 100;

/** Steady traffic: an environment lasts for a thousand chats, and what comes while a batch is collected shares rows. */
function loadAt(chatsPerSecond: number, { batchSeconds, batchSize }: Setup, mix: Mix): Load {
  const batch = Math.min(batchSize, Math.max(1, Math.floor(chatsPerSecond * batchSeconds)));
  return { coldStarts: 0.001, batch, batchRows: rollupRows(batch, mix) };
}

/** At the least memory. */
export function busyMillionUsd(setup: Setup): number {
  const load = loadAt(busyRate, setup, usualMix);
  return totalOf(requestLines({ setup, footprint: footprintOf('no header'), load, memoryMb: leastMemory }));
}

export function lineTable(setup: Setup): string {
  const footprint = footprintOf('no header');
  const load = loadAt(busyRate, setup, usualMix);
  const requests = memories.map((memoryMb) => requestLines({ setup, footprint, load, memoryMb }));
  const kept = keptLines({ setup, footprint });
  const rest = restLines(setup);
  const same = (lines: Line[]) => sideBySide(memories.map(() => lines));
  return markdownTable(
    `A million chats of ${chat.seconds} seconds, ${busyRate} a second, through the Function URL`,
    ['Dollars at', ...memories.map((memoryMb) => `${memoryMb} MB`)],
    [
      ...sideBySide(requests),
      totalRow('The request', requests),
      ...same(kept),
      totalRow(
        'With what is kept',
        requests.map((lines) => [...lines, ...kept]),
      ),
      ...same(rest),
      totalRow(
        'The same through API Gateway',
        requests.map((lines) => [...lines, ...kept, ...rest]),
      ),
      ...same([egressLine()]),
    ],
  );
}

export function metadataTable(setup: Setup): string {
  const names = Object.keys(metadataOf) as (keyof typeof metadataOf)[];
  return markdownTable(
    `By what callers attach, at ${leastMemory} MB`,
    ['Headers', 'Write units of the entry', 'The request', 'What is kept'],
    names.map((metadata) => {
      const footprint = footprintOf(metadata);
      const load = loadAt(busyRate, setup, { ...usualMix, metadata });
      return [
        metadata,
        footprint.entryWriteUnits,
        dollars(totalOf(requestLines({ setup, footprint, load, memoryMb: leastMemory }))),
        dollars(totalOf(keptLines({ setup, footprint }))),
      ];
    }),
  );
}

export function rateTable(setup: Setup): string {
  const alone: Load = { coldStarts: 1, batch: 1, batchRows: rollupRows(1, usualMix) };
  const rates = [1, 10, 100, 1000];
  return markdownTable(
    `The request by how busy the gateway is, at ${leastMemory} MB`,
    [
      'Chats a second',
      'In a month',
      'The request',
      'with as many environments kept ready as pay',
      `Within $${target}`,
    ],
    [
      ['now and then one', '', ...rateCells(setup, alone, 0)],
      ...rates.map((rate) => [
        rate.toLocaleString('en'),
        `${Math.round((rate * secondsOfMonth) / 1e6).toLocaleString('en')} million`,
        ...rateCells(setup, loadAt(rate, setup, usualMix), rate),
      ]),
    ],
  );
}

function rateCells(setup: Setup, load: Load, rate: number): string[] {
  const footprint = footprintOf('no header');
  const onDemand = totalOf(requestLines({ setup, footprint, load, memoryMb: leastMemory }));
  const ready = cheapestCount(rate);
  const provisioned = onDemand - savedMillionUsd(leastMemory, ready);
  const both = provisioned <= target ? 'with environments kept ready' : 'no';
  return [
    dollars(onDemand),
    ready.count === 0 ? 'none pays' : dollars(provisioned),
    onDemand <= target ? 'yes' : both,
  ];
}

/** What it would save to let the sums lag behind. */
export function sumsTable(setup: Setup): string {
  const windows = [1, 5, 10, 60];
  const cost = (rate: number, batchSeconds: number, mix: Mix) =>
    dollars(totalOf(rollupLines(setup, loadAt(rate, { ...setup, batchSeconds }, mix))));
  return markdownTable(
    `The sums, by how long entries are collected for them (deployed: ${setup.batchSeconds} s)`,
    [
      'Chats a second',
      ...windows.map((seconds) => `${usualMix.models} models, ${usualMix.keys} keys: ${seconds} s`),
      'one model, one key: 1 s',
    ],
    [1, 10, 100, 1000].map((rate) => [
      rate.toLocaleString('en'),
      ...windows.map((seconds) => cost(rate, seconds, usualMix)),
      cost(rate, 1, simpleMix),
    ]),
  );
}
