/** Turns records of the log table's stream, each a change of one entry, into updates of rollup rows. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { storedFromStreamImage } from '#lambdas/request-log/table/item.ts';
import { sortKeyOf } from './item.ts';
import { additionsOf, type EntryAddition, type RollupKey } from './rollup.ts';
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

const amountPattern = /^-?\d{1,15}(\.|$)/;

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
  for (const name of countNames) {
    if (!Number.isSafeInteger(totals[name]))
      throw new Error(`${name} must be an integer of at most ${Number.MAX_SAFE_INTEGER}`);
  }
  for (const name of amountNames) {
    if (!amountPattern.test(totals[name]))
      throw new Error(`${name} must have at most 15 digits before its decimal point`);
  }
  const idBytes = Buffer.byteLength(entry.organization_id);
  if (idBytes === 0 || idBytes > maxOrganizationIdBytes)
    throw new Error(`organization_id must have 1 to ${maxOrganizationIdBytes} bytes: got ${idBytes}`);
  for (const { key } of additions) assertKeyFits(key);
}

/** The message names the longest part of the key, but not its value, which may be a caller's. */
function assertKeyFits(key: RollupKey): void {
  const keyBytes = Buffer.byteLength(sortKeyOf(key));
  if (keyBytes <= maxSortKeyBytes) return;
  const { dimension, value, provider, serviceTier, model } = key;
  const valueField = dimension === 'api_key' ? 'api_key_id' : dimension;
  const parts = { [valueField]: value, provider, service_tier: serviceTier, model };
  const [longest] = Object.entries(parts)
    .map(([name, text]) => ({ name, bytes: Buffer.byteLength(text ?? '') }))
    .sort((one, other) => other.bytes - one.bytes);
  throw new Error(
    `${longest?.name} is too long (${longest?.bytes} bytes): ` +
      `the key of its row must have at most ${maxSortKeyBytes} bytes, but has ${keyBytes}`,
  );
}

/** The totals that a record adds to a row. */
interface SequencedAddition {
  sequenceNumber: string;
  totals: Totals;
  /** When the entry was written; `null` when rows are copied. */
  writtenAtMs: number | null;
}

/** The additions to one row, in the order of their sequence numbers. */
export interface RowUpdate {
  generation: number;
  key: RollupKey;
  additions: SequencedAddition[];
  /** During a recount of a budget: the row also sums the costs that were written since its start. */
  recountFromMs?: number;
}

/** Requires the records in the order of their sequence numbers. */
export function toRowUpdates(
  records: RollupRecord[],
  generationsOf: (record: RollupRecord) => number[],
  recountFromMsOf: (record: RollupRecord, key: RollupKey) => number | null = () => null,
): RowUpdate[] {
  const rows = new Map<string, RowUpdate>();
  for (const record of records) {
    const { sequenceNumber, writtenAtMs } = record;
    const generations = generationsOf(record);
    for (const { key, totals } of toChanges(record)) {
      const recountFromMs = recountFromMsOf(record, key);
      for (const generation of generations) {
        const rowId = `${generation}\n${rowIdOf(key)}`;
        const row: RowUpdate = rows.get(rowId) ?? { generation, key, additions: [] };
        if (recountFromMs !== null) row.recountFromMs = recountFromMs;
        row.additions.push({ sequenceNumber, totals, writtenAtMs });
        rows.set(rowId, row);
      }
    }
  }
  return [...rows.values()];
}

function toChanges({ entry, before }: RollupRecord): EntryAddition[] {
  const additions = additionsOf(entry);
  return before === null ? additions : subtractPrevious(additions, before);
}

/** Omits rows that do not change, except those that show the progress. */
function subtractPrevious(additions: EntryAddition[], before: LogEntry): EntryAddition[] {
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
