/** Calculates the cost of a million chats from list prices, item by item. */
import type { Deployment } from './deployment.ts';
import { hoursPerMonth, prices, toMicroDollars } from './prices.ts';

/** The example chat of all tables: five seconds of billed duration, and a stream of 300 chunks with one token each. */
export const chat = {
  seconds: 5,
  requestBytes: 4_000,
  /** OpenAI's chunks have about 340 bytes. */
  responseBytes: 300 * 340,
};

export interface Footprint {
  entryWriteUnits: number;
  entryStoredBytes: number;
  /** Number of copies of the entry: one in the table, one in each index that has its key. */
  entryCopies: number;
  logBytes: number;
  /** Per rollup batch. */
  metricLineBytes: number;
  platformLogBytes: number;
}

/** Effects of the traffic on a single chat: cold starts, and the size of the rollup batches that it is part of. */
export interface Traffic {
  coldStartShare: number;
  /** Entries per invocation of the rollup function. */
  batchSize: number;
  batchRows: number;
}

export interface CostLine {
  name: string;
  /** Per million chats. */
  usd: number;
}

/** Duration of the initialization phase, which Lambda bills since August 2025. An assumption, not measured on AWS. */
const initSeconds = 0.3;

const keyCacheSeconds = 20;
const secretCacheSeconds = 300;
const customPriceCacheSeconds = 60;

/** The requested model, and the dated snapshot that the response names: prices of both are looked up. */
const modelNames = 2;

/** Lambda does not charge for the first 6 MB of a response. */
const freeStreamBytes = 6_000_000;

/** Two round trips to DynamoDB, and about a millisecond of CPU time per row (docs/reports.md). */
const rollupSeconds = ({ batchRows }: Traffic) => 0.02 + batchRows * 0.001;

const bytesPerGb = 1e9;
/** For each request: the recovery looks its entry up, and the verification reads it, ten entries in four units. */
const maintenanceReadUnits = 1.4;

const million = 1e6;

function line(name: string, usdPerChat: number): CostLine {
  return { name, usd: toMicroDollars(usdPerChat * million) };
}

interface CostInputs {
  deployment: Deployment;
  footprint: Footprint;
  traffic: Traffic;
  memoryMb: number;
}

/** Costs per request through the function URL, without storage. */
export function requestLines({ deployment, footprint, traffic, memoryMb }: CostInputs): CostLine[] {
  const usdPerSecond = (memoryMb / 1024) * prices.lambdaDuration.usd;
  const { coldStartShare } = traffic;
  // The key, and its organization.
  const keyReads = 2 * readsPerChat(coldStartShare, keyCacheSeconds);
  const priceReads = modelNames * readsPerChat(coldStartShare, customPriceCacheSeconds);
  const secretReads = readsPerChat(coldStartShare, secretCacheSeconds);
  return [
    line('Lambda: duration', chat.seconds * usdPerSecond),
    line('Lambda: cold starts', coldStartShare * initSeconds * usdPerSecond),
    line('Lambda: requests', prices.lambdaRequests.usd / million),
    line('Lambda: response bytes above 6 MB', streamingUsd(chat.responseBytes)),
    line('DynamoDB: log entry writes', (footprint.entryWriteUnits * prices.dynamodbWrites.usd) / million),
    ...rollupLines(deployment, traffic),
    line('DynamoDB: reads of API keys and organizations', (keyReads * prices.dynamodbReads.usd) / million),
    line('DynamoDB: custom price reads', (priceReads * prices.dynamodbReads.usd) / million),
    line(
      'DynamoDB: reads of scheduled maintenance',
      (maintenanceReadUnits * prices.dynamodbReads.usd) / million,
    ),
    line('Secrets Manager: credential reads', (secretReads * prices.secretReads.usd) / million),
    line('CloudWatch: request log lines', ingestionUsd(footprint.logBytes)),
    line('CloudWatch: Lambda platform log lines', ingestionUsd(platformBytes(deployment, footprint))),
    line('CloudWatch: metric lines', ingestionUsd(footprint.metricLineBytes / traffic.batchSize)),
  ];
}

/** A chat's share of the cost of its rollup batch. */
export function rollupLines({ rollupMemoryMb }: Deployment, traffic: Traffic): CostLine[] {
  const { batchSize, batchRows } = traffic;
  const invocationUsd =
    prices.lambdaRequests.usd / million +
    rollupSeconds(traffic) * (rollupMemoryMb / 1024) * prices.lambdaDuration.usd +
    prices.dynamodbReads.usd / million;
  return [
    line('DynamoDB: rollup writes', (batchRows * prices.dynamodbWrites.usd) / million / batchSize),
    line('Lambda: rollup function', invocationUsd / batchSize),
  ];
}

/** Storage costs until entries and log lines expire. Ignores rollup rows: they are permanent, but few. */
export function storageLines({
  deployment,
  footprint,
}: Pick<CostInputs, 'deployment' | 'footprint'>): CostLine[] {
  const { entryRetentionDays, logRetentionDays } = deployment;
  const { entryStoredBytes, entryCopies, logBytes } = footprint;
  const entryGbMonths = toMonths(entryRetentionDays) * (entryStoredBytes / bytesPerGb);
  const lineBytes = logBytes + platformBytes(deployment, footprint);
  const tableUsd = entryGbMonths * entryCopies * prices.dynamodbStorage.usd;
  return [
    line(`DynamoDB: log entries, ${entryRetentionDays} days`, tableUsd),
    line(`DynamoDB: backups, ${entryRetentionDays} days`, entryGbMonths * prices.dynamodbBackups.usd),
    // An upper bound, which assumes no compression.
    line(
      `CloudWatch: log lines, ${logRetentionDays} days`,
      toMonths(logRetentionDays) * (lineBytes / bytesPerGb) * prices.logStorage.usd,
    ),
  ];
}

export function apiGatewayLines({ accessLogLineBytes }: Deployment): CostLine[] {
  return [
    line('API Gateway: requests', prices.restRequests.usd / million),
    line('CloudWatch: access log', ingestionUsd(accessLogLineBytes)),
  ];
}

export function egressLine(): CostLine {
  const gigabytes = chat.responseBytes / bytesPerGb;
  return line('Not included: data transfer to the internet', gigabytes * prices.egress.usd);
}

export function totalUsd(lines: readonly CostLine[]): number {
  return toMicroDollars(lines.reduce((sum, { usd }) => sum + usd, 0));
}

export function streamingUsd(responseBytes: number): number {
  return (Math.max(0, responseBytes - freeStreamBytes) / bytesPerGb) * prices.lambdaStreaming.usd;
}

/** Assumes that an environment processes chats back to back: it reads at the cold start and after each cache expiry. */
function readsPerChat(coldStartShare: number, cacheSeconds: number): number {
  return Math.min(1, coldStartShare + chat.seconds / cacheSeconds);
}

function platformBytes({ hasPlatformLines }: Deployment, { platformLogBytes }: Footprint): number {
  return hasPlatformLines ? platformLogBytes : 0;
}

function ingestionUsd(bytes: number): number {
  return (bytes / bytesPerGb) * prices.logIngestion.usd;
}

function toMonths(days: number): number {
  return (days * 24) / hoursPerMonth;
}
