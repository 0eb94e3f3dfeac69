/** The tables of `docs/cost.md`. */
import { dollars, markdownTable } from '../harness/figures.ts';
import {
  cheapestProvisioned,
  cheapestTable,
  managedTable,
  provisionedTable,
  savedMillionUsd,
} from './capacity.ts';
import {
  apiGatewayLines,
  chat,
  egressLine,
  type Line,
  type Load,
  requestLines,
  rollupLines,
  storageLines,
  totalOf,
} from './chat.ts';
import { type Deployment, idleTable, readDeployment, type Template } from './deployment.ts';
import { footprintOf, type Headers, type Mix, metadataOf, rollupRows } from './footprint.ts';
import { priceTable } from './prices.ts';

/** In their order. `template` is that of a stack with default settings. */
export function costTables(template: Template): string[] {
  const deployment = readDeployment(template);
  return [
    lineTable(deployment),
    headerTable(deployment),
    rateTable(deployment),
    idleTable(template),
    cheapestTable(),
    managedTable(),
  ];
}

/** Tables that explain the others and are not in the page. */
export function backgroundTables(template: Template): string[] {
  return [rollupTable(readDeployment(template)), provisionedTable(), priceTable()];
}

const memories = [128, 256];
const minMemoryMb = 128;
const targetUsd = 10;
const busyRate = 100;

/** One organization. */
const usualMix: Mix = { models: 12, keys: 2, headers: 'no header' };
const simpleMix: Mix = { models: 1, keys: 1, headers: 'no header' };

/** Steady traffic: an environment lasts for a thousand chats, and chats in the same batch share rollup rows. */
function loadAt(chatsPerSecond: number, { batchSeconds, batchSize }: Deployment, mix: Mix): Load {
  const batch = Math.min(batchSize, Math.max(1, Math.floor(chatsPerSecond * batchSeconds)));
  return { coldStarts: 0.001, batch, batchRows: rollupRows(batch, mix) };
}

function millionUsd(deployment: Deployment, load: Load, headers: Headers = 'no header'): number {
  const footprint = footprintOf(headers);
  return totalOf(requestLines({ deployment, footprint, load, memoryMb: minMemoryMb }));
}

/** With the least memory. */
export function busyMillionUsd(deployment: Deployment): number {
  return millionUsd(deployment, loadAt(busyRate, deployment, usualMix));
}

function lineTable(deployment: Deployment): string {
  const footprint = footprintOf('no header');
  const load = loadAt(busyRate, deployment, usualMix);
  const requests = memories.map((memoryMb) => requestLines({ deployment, footprint, load, memoryMb }));
  const storage = storageLines({ deployment, footprint });
  const apiGateway = apiGatewayLines(deployment);
  const totalRow = (name: string, more: Line[]) => [
    `**${name}**`,
    ...requests.map((lines) => `**${dollars(totalOf([...lines, ...more]))}**`),
  ];
  const sameForAll = (lines: Line[]) =>
    lines.map(({ name, usd }) => [name, ...memories.map(() => dollars(usd))]);
  return markdownTable(
    `A million chats of ${chat.seconds} seconds at ${busyRate} chats a second, through the function URL`,
    ['Dollars', ...memories.map((memoryMb) => `${memoryMb} MB`)],
    [
      ...(requests[0] ?? [])
        .map(({ name }, index) => ({ name, usd: requests.map((lines) => lines[index]?.usd ?? Number.NaN) }))
        // Less than half a cent shows as zero.
        .filter(({ usd }) => Math.max(...usd) >= 0.005)
        .map(({ name, usd }) => [name, ...usd.map(dollars)]),
      totalRow('Requests', []),
      ...sameForAll(storage),
      totalRow('Including storage', storage),
      ...sameForAll(apiGateway),
      totalRow('Through API Gateway instead', [...storage, ...apiGateway]),
      ...sameForAll([egressLine()]),
    ],
  );
}

function headerTable(deployment: Deployment): string {
  const all = Object.keys(metadataOf) as Headers[];
  return markdownTable(
    `By metadata headers, at ${minMemoryMb} MB`,
    ['Headers', 'Write units per entry', 'Requests', 'Storage'],
    all.map((headers) => {
      const footprint = footprintOf(headers);
      const load = loadAt(busyRate, deployment, { ...usualMix, headers });
      return [
        headers,
        footprint.entryWriteUnits,
        dollars(millionUsd(deployment, load, headers)),
        dollars(totalOf(storageLines({ deployment, footprint }))),
      ];
    }),
  );
}

function rateTable(deployment: Deployment): string {
  const alone: Load = { coldStarts: 1, batch: 1, batchRows: rollupRows(1, usualMix) };
  return markdownTable(
    `Requests by traffic, at ${minMemoryMb} MB`,
    ['Chats a second', 'On demand', 'With the cheapest provisioned concurrency', `Within $${targetUsd}`],
    [
      ['isolated', ...rateCells(deployment, alone, 0)],
      ...[1, 10, 100, 1000].map((rate) => [
        rate.toLocaleString('en'),
        ...rateCells(deployment, loadAt(rate, deployment, usualMix), rate),
      ]),
    ],
  );
}

function rateCells(deployment: Deployment, load: Load, rate: number): string[] {
  const onDemand = millionUsd(deployment, load);
  const cheapest = cheapestProvisioned(rate);
  const provisioned = onDemand - savedMillionUsd(minMemoryMb, cheapest);
  const otherwise = provisioned <= targetUsd ? 'with provisioned concurrency' : 'no';
  return [
    dollars(onDemand),
    cheapest.count === 0 ? 'no saving' : dollars(provisioned),
    onDemand <= targetUsd ? 'yes' : otherwise,
  ];
}

/** The savings of a longer batching window, by which the rollups would lag behind. */
function rollupTable(deployment: Deployment): string {
  const windows = [1, 5, 10, 60];
  const cost = (rate: number, batchSeconds: number, mix: Mix) =>
    dollars(totalOf(rollupLines(deployment, loadAt(rate, { ...deployment, batchSeconds }, mix))));
  return markdownTable(
    `Rollups by batching window (deployed: ${deployment.batchSeconds} s)`,
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
