/** What a million chats cost, line by line: arithmetic on list prices. */
import type { Deployment } from './deployment.ts';
import { hoursOfMonth, prices, toMicroDollars } from './prices.ts';

/** The chat of all tables: its function is billed for five seconds, and 300 chunks of a token are streamed. */
export const chat = {
  seconds: 5,
  requestBytes: 4_000,
  /** Chunks as OpenAI sends them have about 340 bytes. */
  responseBytes: 300 * 340,
};

/** What one chat writes. */
export interface Footprint {
  entryWriteUnits: number;
  entryStoredBytes: number;
  /** The table and the indexes that the entry is in. */
  entryCopies: number;
  logBytes: number;
  platformLogBytes: number;
}

/** How chats share environments, caches and batches. */
export interface Load {
  /** For each chat. */
  coldStarts: number;
  /** Entries that the rollup function gets at once, and rows that these write. */
  batch: number;
  batchRows: number;
}

export interface Line {
  name: string;
  /** For a million chats. */
  usd: number;
}

/** Start of an environment, billed since August 2025. An assumption, not measured on AWS. */
const initSeconds = 0.3;

/** How long a warm function caches an API key and the credentials. */
const keySeconds = 20;
const secretSeconds = 300;

/** The first 6 MB of a response are free. */
const freeStreamBytes = 6_000_000;

/** Two round trips to the tables, and about a millisecond of CPU time for each row (docs/reports.md). */
const rollupSeconds = ({ batchRows }: Load) => 0.02 + batchRows * 0.001;

const bytesOfGb = 1e9;
const million = 1e6;

function line(name: string, usdPerChat: number): Line {
  return { name, usd: toMicroDollars(usdPerChat * million) };
}

export interface Case {
  deployment: Deployment;
  footprint: Footprint;
  load: Load;
  memoryMb: number;
}

/** What a chat through the Function URL costs while it happens. */
export function requestLines({ deployment, footprint, load, memoryMb }: Case): Line[] {
  const usdPerSecond = (memoryMb / 1024) * prices.lambdaDuration.usd;
  const { coldStarts } = load;
  const keyReads = readsPerChat(coldStarts, keySeconds);
  const secretReads = readsPerChat(coldStarts, secretSeconds);
  return [
    line('Lambda: duration', chat.seconds * usdPerSecond),
    line('Lambda: cold starts', coldStarts * initSeconds * usdPerSecond),
    line('Lambda: requests', prices.lambdaRequests.usd / million),
    line('Lambda: response bytes above 6 MB', streamedUsd(chat.responseBytes)),
    line('DynamoDB: log entry writes', (footprint.entryWriteUnits * prices.dynamodbWrites.usd) / million),
    ...rollupLines(deployment, load),
    line('DynamoDB: API key reads', (keyReads * prices.dynamodbReads.usd) / million),
    line('Secrets Manager: credential reads', (secretReads * prices.secretReads.usd) / million),
    line('CloudWatch: request log lines', ingestionUsd(footprint.logBytes)),
    line('CloudWatch: Lambda platform log lines', ingestionUsd(platformBytes(deployment, footprint))),
  ];
}

/** A chat's share of the batch that counts it. */
export function rollupLines({ rollupMemoryMb }: Deployment, load: Load): Line[] {
  const { batch, batchRows } = load;
  const invocationUsd =
    prices.lambdaRequests.usd / million +
    rollupSeconds(load) * (rollupMemoryMb / 1024) * prices.lambdaDuration.usd +
    prices.dynamodbReads.usd / million;
  return [
    line('DynamoDB: rollup writes', (batchRows * prices.dynamodbWrites.usd) / million / batch),
    line('Lambda: rollup function', invocationUsd / batch),
  ];
}

/** What is stored of a chat until it expires. Rollup rows are kept for good, but they are few. */
export function storageLines({ deployment, footprint }: Pick<Case, 'deployment' | 'footprint'>): Line[] {
  const { entryDays, logDays } = deployment;
  const { entryStoredBytes, entryCopies, logBytes } = footprint;
  const entryGbMonths = monthsOf(entryDays) * (entryStoredBytes / bytesOfGb);
  const lineBytes = logBytes + platformBytes(deployment, footprint);
  const tableUsd = entryGbMonths * entryCopies * prices.dynamodbStorage.usd;
  return [
    line(`DynamoDB: log entries, ${entryDays} days`, tableUsd),
    line(`DynamoDB: backups, ${entryDays} days`, entryGbMonths * prices.dynamodbBackups.usd),
    // As if nothing were compressed.
    line(
      `CloudWatch: log lines, ${logDays} days`,
      monthsOf(logDays) * (lineBytes / bytesOfGb) * prices.logStorage.usd,
    ),
  ];
}

export function apiGatewayLines({ accessLogBytes }: Deployment): Line[] {
  return [
    line('API Gateway: requests', prices.restRequests.usd / million),
    line('CloudWatch: access log', ingestionUsd(accessLogBytes)),
  ];
}

export function egressLine(): Line {
  const gigabytes = chat.responseBytes / bytesOfGb;
  return line('Not included: data transfer to the internet', gigabytes * prices.egress.usd);
}

export function totalOf(lines: readonly Line[]): number {
  return toMicroDollars(lines.reduce((sum, { usd }) => sum + usd, 0));
}

export function streamedUsd(responseBytes: number): number {
  return (Math.max(0, responseBytes - freeStreamBytes) / bytesOfGb) * prices.lambdaStreaming.usd;
}

/** An environment that does one chat after another reads again whatever has expired in its cache. */
function readsPerChat(coldStarts: number, cachedSeconds: number): number {
  return Math.min(1, coldStarts + chat.seconds / cachedSeconds);
}

function platformBytes({ platformLines }: Deployment, { platformLogBytes }: Footprint): number {
  return platformLines ? platformLogBytes : 0;
}

function ingestionUsd(bytes: number): number {
  return (bytes / bytesOfGb) * prices.logIngestion.usd;
}

function monthsOf(days: number): number {
  return (days * 24) / hoursOfMonth;
}
