/** Tells the records of a batch that can be counted from those that are to be set aside. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { RollupRecord } from '../shared/domain/rollup.ts';
import { sequenceNumberOf } from '../shared/stores/rollup-record.ts';

export type ReadRecord = (record: DynamoDBRecord) => RollupRecord;

export interface ReadRecords {
  readable: RollupRecord[];
  setAside: DynamoDBRecord[];
}

/** Those that were set aside before stay so: `wereSetAside` has their numbers. */
export function readRecords(
  records: readonly DynamoDBRecord[],
  read: ReadRecord,
  wereSetAside: ReadonlySet<string>,
): ReadRecords {
  const result: ReadRecords = { readable: [], setAside: [] };
  for (const record of records) {
    if (wereSetAside.has(sequenceNumberOf(record))) {
      result.setAside.push(record);
      continue;
    }
    try {
      result.readable.push(read(record));
    } catch (error) {
      logUnreadable(record, error);
      result.setAside.push(record);
    }
  }
  return result;
}

/** Nothing of its content: it may be anything. */
function logUnreadable(record: DynamoDBRecord, error: unknown): void {
  console.error(
    JSON.stringify({
      level: 'ERROR',
      event: 'unreadable_record',
      eventID: record.eventID,
      sequenceNumber: sequenceNumberOf(record),
      name: error instanceof Error ? error.name : typeof error,
    }),
  );
}
