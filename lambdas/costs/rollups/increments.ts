/** What a batch of records adds to which rows. */

import type { DynamoDBRecord } from 'aws-lambda';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { storedFromStreamImage } from '#lambdas/request-log/table/item.ts';
import { itemKey } from './item.ts';
import { type RollupKey, type RollupRecord, type RowAdditions, rollupKeysOf, totalsOf } from './rollup.ts';
import { addTotals, isNothing, noTotals, subtractTotals, type Totals } from './totals.ts';
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
        const name = nameOf(key, generation);
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

/** What the entry was is taken away; where it comes to the same, nothing changes. */
function differences(added: Change[], before: LogEntry): Change[] {
  const changes = new Map(added.map((change) => [nameOf(change.key), change]));
  for (const key of rollupKeysOf(before)) {
    const totals = changes.get(nameOf(key))?.totals ?? noTotals;
    changes.set(nameOf(key), { key, totals: subtractTotals(totals, totalsOf(before)) });
  }
  return [...changes.values()].filter(({ totals }) => !isNothing(totals));
}

function nameOf(key: RollupKey, generation = 0): string {
  const { pk, sk } = itemKey(generation, key);
  // No part of `pk` has a line break: nothing else comes to the same name.
  return `${pk}\n${sk}`;
}

// What a record of the log table's stream says of a log entry.

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
