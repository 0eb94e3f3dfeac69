/**
 * The assumptions about DynamoDB: how long a call takes, and how many units a partition key and a table serve in a
 * second. AWS states only that reads and writes of single items take less than 10 ms.
 */
import { prices } from '../cost/prices.ts';

/** The capacity that a call has consumed. */
export interface CallUnits {
  kind: 'reads' | 'writes';
  units: number;
  /** The items of a transaction; 0 of other calls. */
  transactionItems: number;
}

/** An assumption. */
const readMs = 5;
/** An assumption: 15 ms for a megabyte, whose strongly consistent read takes 256 units. */
const readUnitMs = 15 / 256;
/**
 * Medians of a function in the same region: 7.6 ms for a write, 25.3 and 32.1 ms for transactions of 5 and 25 items:
 * https://www.alexdebrie.com/posts/dynamodb-transactions-performance/
 */
const writeMs = 7.6;
const transactionMs = 23.6;
const transactionItemMs = 0.34;

export function callMs({ kind, units, transactionItems }: CallUnits): number {
  if (transactionItems > 0) return transactionMs + transactionItems * transactionItemMs;
  return kind === 'writes' ? writeMs : readMs + units * readUnitMs;
}

/** Units per second. */
type Throughput = Record<CallUnits['kind'], number>;

/**
 * A partition key, which one partition serves:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html
 */
export const partitionThroughput: Throughput = { reads: 3000, writes: 1000 };

/**
 * A new table on demand, which later serves more:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html
 */
export const tableThroughput: Throughput = { reads: 12_000, writes: 4000 };

/** From the write of an item until its stream has started the function, which may have to start up. */
export const streamStartMs = 2000;

export const assumptions: readonly (readonly [subject: string, assumption: string])[] = [
  ['a read', `${readMs} ms, and ${Math.round(readUnitMs * 256)} ms for each megabyte that it evaluates`],
  ['a write of one item', `${writeMs} ms`],
  ['a transaction', `${transactionMs} ms, and ${transactionItemMs} ms for each item: 58 ms for 100`],
  ['a partition key', `${throughputText(partitionThroughput)}; unused units of one second can be used later`],
  ['a table', throughputText(tableThroughput)],
  ['the start of a function by a stream', `${streamStartMs / 1000} s`],
  ['the processor of a function', 'its share of one, by its memory: all of it with 1,769 MB'],
];

function throughputText({ reads, writes }: Throughput): string {
  return `${reads.toLocaleString('en')} read and ${writes.toLocaleString('en')} write units a second`;
}

export function usdOf({ readUnits, writeUnits }: { readUnits: number; writeUnits: number }): number {
  return (readUnits * prices.dynamodbReads.usd + writeUnits * prices.dynamodbWrites.usd) / 1e6;
}
