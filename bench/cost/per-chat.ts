/** What a million chats cost, line by line: pure arithmetic on list prices. */
import { type ChatFootprint, chat } from './chat-footprint.ts';
import { hoursOfMonth, prices, toMicroDollars } from './prices.ts';
import type { Setup } from './setup.ts';

/** How a chat meets what is shared: environments, caches and batches. */
export interface Load {
  /** Environments that have to start, for each chat. */
  coldStarts: number;
  /** Entries that the rollup function gets at once. */
  batch: number;
  /** Rows of sums that such a batch writes. */
  batchRows: number;
}

export interface Line {
  name: string;
  /** For a million chats. */
  usd: number;
}

/** Of an environment: Node.js and the function's own start, which Lambda bills since August 2025. Not measured on AWS. */
const initSeconds = 0.3;

/** How long a warm function remembers a key and the credentials. */
const keySeconds = 20;
const secretSeconds = 300;

/** The first 6 MB of an answer are free. */
const freeStreamBytes = 6_000_000;

/** Two round trips to the tables, and about a millisecond of the processor for each row (docs/reports.md). */
const rollupSeconds = ({ batchRows }: Load) => 0.02 + batchRows * 0.001;

const bytesOfGb = 1e9;
const million = 1e6;
const gbOf = (memoryMb: number) => memoryMb / 1024;

function line(name: string, usdPerChat: number): Line {
  return { name, usd: toMicroDollars(usdPerChat * million) };
}

export interface Case {
  setup: Setup;
  footprint: ChatFootprint;
  load: Load;
  memoryMb: number;
}

/** What a chat through the Function URL costs while it happens. */
export function requestLines({ setup, footprint, load, memoryMb }: Case): Line[] {
  const gbSecond = gbOf(memoryMb) * prices.lambdaDuration.usd;
  const { coldStarts } = load;
  return [
    line('Lambda: five seconds', chat.seconds * gbSecond),
    line('Lambda: starts of environments', coldStarts * initSeconds * gbSecond),
    line('Lambda: the request', prices.lambdaRequests.usd / million),
    line('Lambda: bytes streamed above 6 MB', streamedUsd(chat.answerBytes)),
    line('DynamoDB: the log entry', (footprint.entryWriteUnits * prices.dynamodbWrites.usd) / million),
    ...rollupLines(setup, load),
    line(
      'DynamoDB: reading the key',
      (readsPerChat(coldStarts, keySeconds) * prices.dynamodbReads.usd) / million,
    ),
    line(
      'Secrets Manager: reading credentials',
      (readsPerChat(coldStarts, secretSeconds) * prices.secretReads.usd) / million,
    ),
    line('CloudWatch: the line of the request', ingestionUsd(footprint.logBytes)),
    line("CloudWatch: Lambda's own lines", ingestionUsd(platformBytes({ setup, footprint }))),
  ];
}

/** A chat's share of the batch that counts it. */
export function rollupLines({ rollupMemoryMb }: Pick<Setup, 'rollupMemoryMb'>, load: Load): Line[] {
  const { batch, batchRows } = load;
  const invocation =
    prices.lambdaRequests.usd / million +
    rollupSeconds(load) * gbOf(rollupMemoryMb) * prices.lambdaDuration.usd +
    prices.dynamodbReads.usd / million;
  return [
    line('DynamoDB: the sums', (batchRows * prices.dynamodbWrites.usd) / million / batch),
    line('Lambda: adding to the sums', invocation / batch),
  ];
}

/** What is kept of a chat, until it expires. Sums stay for good, but they are few. */
export function keptLines({ setup, footprint }: Pick<Case, 'setup' | 'footprint'>): Line[] {
  const { entryDays, logDays } = setup;
  const { entryStoredBytes, entryCopies, logBytes } = footprint;
  const entryGbMonths = monthsOf(entryDays) * (entryStoredBytes / bytesOfGb);
  const logGbMonths = monthsOf(logDays) * ((logBytes + platformBytes({ setup, footprint })) / bytesOfGb);
  return [
    line(
      `DynamoDB: ${entryDays} days of the entry`,
      entryGbMonths * entryCopies * prices.dynamodbStorage.usd,
    ),
    line(`DynamoDB: ${entryDays} days in backups`, entryGbMonths * prices.dynamodbBackups.usd),
    // As if nothing were compressed.
    line(`CloudWatch: ${logDays} days of the lines`, logGbMonths * prices.logStorage.usd),
  ];
}

function platformBytes({ setup, footprint }: Pick<Case, 'setup' | 'footprint'>): number {
  return setup.platformLines ? footprint.platformLogBytes : 0;
}

/** What API Gateway adds. */
export function restLines({ accessLogBytes }: Pick<Setup, 'accessLogBytes'>): Line[] {
  return [
    line('API Gateway: the request', prices.restRequests.usd / million),
    line('CloudWatch: the access log', ingestionUsd(accessLogBytes)),
  ];
}

export function egressLine(): Line {
  return line('Not included: answers to the internet', (chat.answerBytes / bytesOfGb) * prices.egress.usd);
}

export function totalOf(lines: readonly Line[]): number {
  return toMicroDollars(lines.reduce((sum, { usd }) => sum + usd, 0));
}

/** What is remembered is read when it has grown old, by an environment that does one chat after another. */
function readsPerChat(coldStarts: number, rememberedSeconds: number): number {
  return Math.min(1, coldStarts + chat.seconds / rememberedSeconds);
}

export function streamedUsd(answerBytes: number): number {
  return (Math.max(0, answerBytes - freeStreamBytes) / bytesOfGb) * prices.lambdaStreaming.usd;
}

function ingestionUsd(bytes: number): number {
  return (bytes / bytesOfGb) * prices.logIngestion.usd;
}

function monthsOf(days: number): number {
  return (days * 24) / hoursOfMonth;
}
