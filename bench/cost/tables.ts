/** The tables of `docs/cost.md`. */
import { dollars, markdownTable } from '../harness/figures.ts';
import {
  cheapestProvisioned,
  cheapestTable,
  managedTable,
  provisionedTable,
  savedUsdPerMillion,
} from './capacity.ts';
import {
  apiGatewayLines,
  type CostLine,
  chat,
  egressLine,
  requestLines,
  rollupLines,
  storageLines,
  type Traffic,
  totalUsd,
} from './chat.ts';
import { type Deployment, readDeployment } from './deployment.ts';
import {
  countRollupRows,
  type MetadataHeaders,
  measureFootprint,
  metadataByHeaders,
  type TrafficMix,
} from './footprint.ts';
import { idleTable } from './idle.ts';
import { type MonitoringTemplates, monitoringTable } from './monitoring.ts';
import { priceTable } from './prices.ts';

/** Returns the tables in the order of the page. All other settings of the stacks have their defaults. */
export function costTables(templates: MonitoringTemplates): string[] {
  const deployment = readDeployment(templates.alarms);
  return [
    lineTable(deployment),
    headerTable(deployment),
    rateTable(deployment),
    idleTable(templates.alarms),
    monitoringTable(templates),
    cheapestTable(),
    managedTable(),
  ];
}

export function backgroundTables({ alarms }: MonitoringTemplates): string[] {
  return [rollupTable(readDeployment(alarms)), provisionedTable(), priceTable()];
}

const memorySizesMb = [128, 256];
const minMemoryMb = 128;
const targetUsd = 10;
const busyRate = 100;

const usualMix: TrafficMix = { models: 12, keys: 2, headers: 'no header' };
const simpleMix: TrafficMix = { models: 1, keys: 1, headers: 'no header' };

/** Assumes that an environment serves a thousand chats, and that chats in the same batch share rollup rows. */
function steadyTraffic(
  chatsPerSecond: number,
  { batchingWindowSeconds, maxBatchSize }: Deployment,
  mix: TrafficMix,
): Traffic {
  const batchSize = Math.min(maxBatchSize, Math.max(1, Math.floor(chatsPerSecond * batchingWindowSeconds)));
  return { coldStartShare: 0.001, batchSize, batchRows: countRollupRows(batchSize, mix) };
}

function usdPerMillion(
  deployment: Deployment,
  traffic: Traffic,
  headers: MetadataHeaders = 'no header',
): number {
  const footprint = measureFootprint(headers);
  return totalUsd(requestLines({ deployment, footprint, traffic, memoryMb: minMemoryMb }));
}

function lineTable(deployment: Deployment): string {
  const footprint = measureFootprint('no header');
  const traffic = steadyTraffic(busyRate, deployment, usualMix);
  const requests = memorySizesMb.map((memoryMb) =>
    requestLines({ deployment, footprint, traffic, memoryMb }),
  );
  const storage = storageLines({ deployment, footprint });
  const apiGateway = apiGatewayLines(deployment);
  const totalRow = (name: string, more: CostLine[]) => [
    `**${name}**`,
    ...requests.map((lines) => `**${dollars(totalUsd([...lines, ...more]))}**`),
  ];
  const sameForAllSizes = (lines: CostLine[]) =>
    lines.map(({ name, usd }) => [name, ...memorySizesMb.map(() => dollars(usd))]);
  return markdownTable(
    `A million chats of ${chat.seconds} seconds at ${busyRate} chats a second, through the function URL`,
    ['Dollars', ...memorySizesMb.map((memoryMb) => `${memoryMb} MB`)],
    [
      ...(requests[0] ?? [])
        .map(({ name }, index) => ({ name, usd: requests.map((lines) => lines[index]?.usd ?? Number.NaN) }))
        // Costs below half a cent would be shown as zero.
        .filter(({ usd }) => Math.max(...usd) >= 0.005)
        .map(({ name, usd }) => [name, ...usd.map(dollars)]),
      totalRow('Requests', []),
      ...sameForAllSizes(storage),
      totalRow('Including storage', storage),
      ...sameForAllSizes(apiGateway),
      totalRow('Through API Gateway instead', [...storage, ...apiGateway]),
      ...sameForAllSizes([egressLine()]),
    ],
  );
}

function headerTable(deployment: Deployment): string {
  const all = Object.keys(metadataByHeaders) as MetadataHeaders[];
  return markdownTable(
    `By metadata headers, at ${minMemoryMb} MB`,
    ['Headers', 'Write units per entry', 'Requests', 'Storage'],
    all.map((headers) => {
      const footprint = measureFootprint(headers);
      const traffic = steadyTraffic(busyRate, deployment, { ...usualMix, headers });
      return [
        headers,
        footprint.entryWriteUnits,
        dollars(usdPerMillion(deployment, traffic, headers)),
        dollars(totalUsd(storageLines({ deployment, footprint }))),
      ];
    }),
  );
}

function rateTable(deployment: Deployment): string {
  const isolated: Traffic = { coldStartShare: 1, batchSize: 1, batchRows: countRollupRows(1, usualMix) };
  return markdownTable(
    `Requests by traffic, at ${minMemoryMb} MB`,
    ['Chats a second', 'On demand', 'With the cheapest provisioned concurrency', `Within $${targetUsd}`],
    [
      ['isolated', ...rateCells(deployment, isolated, 0)],
      ...[1, 10, 100, 1000].map((rate) => [
        rate.toLocaleString('en'),
        ...rateCells(deployment, steadyTraffic(rate, deployment, usualMix), rate),
      ]),
    ],
  );
}

function rateCells(deployment: Deployment, traffic: Traffic, rate: number): string[] {
  const onDemand = usdPerMillion(deployment, traffic);
  const cheapest = cheapestProvisioned(rate);
  const provisioned = onDemand - savedUsdPerMillion(minMemoryMb, cheapest);
  const whenProvisioned = provisioned <= targetUsd ? 'with provisioned concurrency' : 'no';
  return [
    dollars(onDemand),
    cheapest.count === 0 ? 'no saving' : dollars(provisioned),
    onDemand <= targetUsd ? 'yes' : whenProvisioned,
  ];
}

/** Shows the savings of a longer batching window, which would delay the rollups by as much. */
function rollupTable(deployment: Deployment): string {
  const windows = [1, 5, 10, 60];
  const cost = (rate: number, batchingWindowSeconds: number, mix: TrafficMix) =>
    dollars(
      totalUsd(rollupLines(deployment, steadyTraffic(rate, { ...deployment, batchingWindowSeconds }, mix))),
    );
  return markdownTable(
    `Rollups by batching window (deployed: ${deployment.batchingWindowSeconds} s)`,
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
