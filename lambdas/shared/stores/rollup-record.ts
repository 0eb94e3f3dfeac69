/** What a record of the log table's stream says of a log entry. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { LogEntry, StoredLogEntry } from '../domain/log-entry.ts';
import { type RollupRecord, rollupKeysOf, totalsOf } from '../domain/rollup.ts';
import { addTotals, noTotals } from '../domain/totals.ts';
import { itemKey } from './cost-rollup-item.ts';
import { storedFromStreamImage } from './log-entry-item.ts';

/** What DynamoDB takes as a sort key, in bytes. */
const longestSortKey = 1024;
/** What an organization's id may take of a partition key. */
const longestOrganizationId = 1024;

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

/** One that the writer cannot add would fail there, and with it the whole batch, for as long as the record is kept. */
function refuseUncountable(entry: LogEntry): void {
  const { cost_usd, ...counts } = addTotals(noTotals, totalsOf(entry));
  const isCountable = Object.values(counts).every(Number.isSafeInteger) && /^-?\d{1,15}(\.|$)/.test(cost_usd);
  if (!isCountable) throw new Error('The entry counts in no numbers');
  const { length } = Buffer.from(entry.organization_id);
  const sortKeys = rollupKeysOf(entry).map((key) => itemKey(0, key).sk);
  const isKey = length > 0 && length <= longestOrganizationId;
  if (!isKey || sortKeys.some((key) => Buffer.byteLength(key) > longestSortKey))
    throw new Error('The entry has no place among the sums');
}
