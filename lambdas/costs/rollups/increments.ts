/** Turns records of the log table's stream, each a change of one entry, into additions to rollup rows. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { storedFromStreamImage } from '#lambdas/request-log/table/item.ts';
import { sortKeyOf } from './item.ts';
import { additionsOf, type RollupAddition, type RollupKey } from './rollup.ts';
import { isProgressRow } from './state.ts';
import {
  amountNames,
  countNames,
  isZero,
  noTotals,
  subtractTotals,
  sumTotals,
  type Totals,
} from './totals.ts';

/** A new or changed entry, with its position in its source. */
export interface RollupRecord {
  /** Sorts by length first, then as text. */
  sequenceNumber: string;
  entry: LogEntry;
  before: LogEntry | null;
  writtenAtMs: number;
  isRestored?: true;
}

/** DynamoDB's limit. */
const maxSortKeyBytes = 1024;
/** Half of DynamoDB's limit for a partition key, of which the id is a part. */
const maxOrganizationIdBytes = 1024;

/** Throws when the record is not an entry that can be added to rollups. */
export function toRollupRecord(record: DynamoDBRecord): RollupRecord {
  const { eventName, dynamodb } = record;
  const { entry, writtenAtMs, isRestored } = readImage(dynamodb?.NewImage);
  if (!Number.isFinite(writtenAtMs)) throw new Error('The entry has no write time');
  const before = eventName === 'MODIFY' ? readImage(dynamodb?.OldImage).entry : null;
  const sequenceNumber = sequenceNumberOf(record);
  return { sequenceNumber, entry, before, writtenAtMs, ...(isRestored && { isRestored }) };
}

export function sequenceNumberOf({ dynamodb }: DynamoDBRecord): string {
  if (dynamodb?.SequenceNumber === undefined) throw new Error('The record has no sequence number');
  return dynamodb.SequenceNumber;
}

function readImage(image: object | undefined): StoredLogEntry {
  const stored = storedFromStreamImage(image);
  assertCountable(stored.entry);
  return stored;
}

/** Throws for an entry that the writer could not add, which would block its batch until the record leaves the stream. */
function assertCountable(entry: LogEntry): void {
  const additions = additionsOf(entry);
  const totals = sumTotals(additions.slice(0, 1).map((addition) => addition.totals));
  const isCountable =
    countNames.every((name) => Number.isSafeInteger(totals[name])) &&
    amountNames.every((name) => /^-?\d{1,15}(\.|$)/.test(totals[name]));
  if (!isCountable) throw new Error('The numbers of the entry cannot be added up');
  const idBytes = Buffer.byteLength(entry.organization_id);
  const fits = additions.every(({ key }) => Buffer.byteLength(sortKeyOf(key)) <= maxSortKeyBytes);
  if (idBytes === 0 || idBytes > maxOrganizationIdBytes || !fits)
    throw new Error('The values of the entry are too long for a key');
}

interface RowAddition {
  sequenceNumber: string;
  totals: Totals;
  /** When the entry was written; `null` when rows are copied. */
  writtenAtMs: number | null;
}

/** The additions to one row, in the order of their sequence numbers. */
export interface RowAdditions {
  generation: number;
  key: RollupKey;
  additions: RowAddition[];
  /** During a recount of a budget: the row also sums the costs that were written since its start. */
  recountFromMs?: number;
}

/** Requires the records in the order of their sequence numbers. */
export function toRowAdditions(
  records: RollupRecord[],
  generationsOf: (record: RollupRecord) => number[],
  recountFromMsOf: (record: RollupRecord, key: RollupKey) => number | null = () => null,
): RowAdditions[] {
  const rows = new Map<string, RowAdditions>();
  for (const record of records) {
    const { sequenceNumber, writtenAtMs } = record;
    const generations = generationsOf(record);
    for (const { key, totals } of toChanges(record)) {
      const recountFromMs = recountFromMsOf(record, key);
      for (const generation of generations) {
        const rowId = `${generation}\n${rowIdOf(key)}`;
        const row: RowAdditions = rows.get(rowId) ?? { generation, key, additions: [] };
        if (recountFromMs !== null) row.recountFromMs = recountFromMs;
        row.additions.push({ sequenceNumber, totals, writtenAtMs });
        rows.set(rowId, row);
      }
    }
  }
  return [...rows.values()];
}

function toChanges({ entry, before }: RollupRecord): RollupAddition[] {
  const additions = additionsOf(entry);
  return before === null ? additions : subtractPrevious(additions, before);
}

/** Omits rows that do not change, except those that show the progress. */
function subtractPrevious(additions: RollupAddition[], before: LogEntry): RollupAddition[] {
  const changes = new Map(additions.map((change) => [rowIdOf(change.key), change]));
  for (const { key, totals } of additionsOf(before)) {
    const after = changes.get(rowIdOf(key))?.totals ?? noTotals;
    changes.set(rowIdOf(key), { key, totals: subtractTotals(after, totals) });
  }
  return [...changes.values()].filter(({ key, totals }) => !isZero(totals) || isProgressRow(key));
}

/** Unique within a generation. */
function rowIdOf(key: RollupKey): string {
  const { organizationId, dimension, period, writeShard } = key;
  return JSON.stringify([organizationId, dimension, period, writeShard, sortKeyOf(key)]);
}
