/** Turns records of the log table's stream, each a change of one entry, into additions to rows. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { storedFromStreamImage } from '#lambdas/request-log/table/item.ts';
import { sortKeyOf } from './item.ts';
import { type RollupKey, rollupKeysOf, totalsOf } from './rollup.ts';
import { addTotals, isZero, noTotals, subtractTotals, type Totals } from './totals.ts';

/** A change of one entry, and its place among the changes of its source. */
export interface RollupRecord {
  /** The longer of two numbers of a source is the higher one; those of one length sort as text. */
  sequenceNumber: string;
  entry: LogEntry;
  /** The entry before the change; `null` when it is new. */
  before: LogEntry | null;
  writtenAtMs: number;
}

/** The most bytes that DynamoDB takes as a sort key. */
const maxSortKeyBytes = 1024;
/** The most bytes that an organization's id may take of a partition key. */
const maxOrganizationIdBytes = 1024;

/** Throws where the record is no entry, or one that cannot be added to sums. */
export function rollupRecordOf(record: DynamoDBRecord): RollupRecord {
  const { eventName, dynamodb } = record;
  const { entry, writtenAtMs } = readImage(dynamodb?.NewImage);
  if (!Number.isFinite(writtenAtMs)) throw new Error('The entry does not say when it was written');
  const before = eventName === 'MODIFY' ? readImage(dynamodb?.OldImage).entry : null;
  return { sequenceNumber: sequenceNumberOf(record), entry, before, writtenAtMs };
}

export function sequenceNumberOf({ dynamodb }: DynamoDBRecord): string {
  if (dynamodb?.SequenceNumber === undefined) throw new Error('The record has no sequence number');
  return dynamodb.SequenceNumber;
}

function readImage(image: object | undefined): StoredLogEntry {
  const stored = storedFromStreamImage(image);
  refuseUncountable(stored.entry);
  return stored;
}

/** An entry that cannot be written would fail in the writer, and with it the whole batch, for as long as it is in the stream. */
function refuseUncountable(entry: LogEntry): void {
  const { cost_usd, ...counts } = addTotals(noTotals, totalsOf(entry));
  const isCountable = Object.values(counts).every(Number.isSafeInteger) && /^-?\d{1,15}(\.|$)/.test(cost_usd);
  if (!isCountable) throw new Error('The numbers of the entry cannot be summed');
  const idBytes = Buffer.byteLength(entry.organization_id);
  const sortKeys = rollupKeysOf(entry).map((key) => sortKeyOf(key));
  const fits = sortKeys.every((key) => Buffer.byteLength(key) <= maxSortKeyBytes);
  if (idBytes === 0 || idBytes > maxOrganizationIdBytes || !fits)
    throw new Error('The values of the entry do not fit into a key');
}

/** The additions to one row, in the order of the sequence numbers. */
export interface RowAdditions {
  generation: number;
  key: RollupKey;
  additions: { sequenceNumber: string; totals: Totals }[];
}

/** The records have to be in the order of their numbers. */
export function rowAdditionsOf(
  records: RollupRecord[],
  generationsOf: (record: RollupRecord) => number[],
): RowAdditions[] {
  const rows = new Map<string, RowAdditions>();
  for (const record of records) {
    const { sequenceNumber } = record;
    const generations = generationsOf(record);
    for (const { key, totals } of changesOf(record)) {
      for (const generation of generations) {
        const name = `${generation}\n${nameOf(key)}`;
        const row = rows.get(name) ?? { generation, key, additions: [] };
        row.additions.push({ sequenceNumber, totals });
        rows.set(name, row);
      }
    }
  }
  return [...rows.values()];
}

type Change = { key: RollupKey; totals: Totals };

function changesOf({ entry, before }: RollupRecord): Change[] {
  const totals = totalsOf(entry);
  const added = rollupKeysOf(entry).map((key) => ({ key, totals }));
  return before === null ? added : differences(added, before);
}

/** The former entry is subtracted. Rows that stay the same are left out. */
function differences(added: Change[], before: LogEntry): Change[] {
  const changes = new Map(added.map((change) => [nameOf(change.key), change]));
  for (const key of rollupKeysOf(before)) {
    const totals = changes.get(nameOf(key))?.totals ?? noTotals;
    changes.set(nameOf(key), { key, totals: subtractTotals(totals, totalsOf(before)) });
  }
  return [...changes.values()].filter(({ totals }) => !isZero(totals));
}

/** Identifies the row within a generation. */
function nameOf(key: RollupKey): string {
  const { organizationId, dimension, period, writeShard } = key;
  return JSON.stringify([organizationId, dimension, period, writeShard, sortKeyOf(key)]);
}
