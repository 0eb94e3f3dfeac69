/** What the stream's records say of log entries. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { LogEntry, StoredLogEntry } from '../shared/domain/log-entry.ts';
import { type RollupRecord, totalsOf } from '../shared/domain/rollup.ts';
import { addTotals, noTotals } from '../shared/domain/totals.ts';
import { storedFromStreamImage } from '../shared/stores/log-entry-item.ts';

export interface ReadRecords {
  readable: RollupRecord[];
  /** The sequence number of the first record that is no log entry, if it has to come again. */
  unreadable: string | null;
}

/**
 * How long a record that cannot be read holds up its shard. In that time a version of the function may come that can
 * read it; after that it is left out, since nothing behind it would be counted either.
 */
const holdUpMs = 3_600_000;

/** Reads up to the first record that cannot be read and is not to be left out. */
export function readRecords(records: DynamoDBRecord[], now: Date): ReadRecords {
  const readable: RollupRecord[] = [];
  for (const record of records) {
    const sequenceNumber = record.dynamodb?.SequenceNumber ?? '';
    try {
      readable.push(readRecord(record, sequenceNumber));
    } catch (error) {
      const isLeftOut = now.getTime() - arrivalMs(record, now) > holdUpMs;
      logUnreadable(record, { isLeftOut, name: error instanceof Error ? error.name : typeof error });
      if (!isLeftOut) return { readable, unreadable: sequenceNumber };
    }
  }
  return { readable, unreadable: null };
}

function readRecord({ eventName, dynamodb }: DynamoDBRecord, sequenceNumber: string): RollupRecord {
  const { entry, writtenAtMs } = readImage(dynamodb?.NewImage);
  if (!Number.isFinite(writtenAtMs)) throw new Error('The entry does not say when it was written');
  const before = eventName === 'MODIFY' ? readImage(dynamodb?.OldImage).entry : null;
  return { sequenceNumber, entry, before, writtenAtMs };
}

function readImage(image: object | undefined): StoredLogEntry {
  const stored = storedFromStreamImage(image);
  refuseUncountable(stored.entry);
  return stored;
}

/** One that the writer cannot add would fail there, and with it the whole batch, for as long as the record is kept. */
function refuseUncountable(entry: LogEntry): void {
  const { cost_usd: _, ...counts } = addTotals(noTotals, totalsOf(entry));
  if (!Object.values(counts).every(Number.isSafeInteger)) throw new Error('The entry counts in no numbers');
  new Date(entry.created_at).toISOString();
}

/** The type says `number`; Lambda gives seconds. */
function arrivalMs({ dynamodb }: DynamoDBRecord, now: Date): number {
  const seconds = dynamodb?.ApproximateCreationDateTime;
  return seconds === undefined ? now.getTime() : seconds * 1000;
}

function logUnreadable(
  { eventID, dynamodb }: DynamoDBRecord,
  { isLeftOut, name }: { isLeftOut: boolean; name: string },
): void {
  const sequenceNumber = dynamodb?.SequenceNumber;
  console.error(
    JSON.stringify({
      level: 'ERROR',
      event: 'unreadable_record',
      eventID,
      sequenceNumber,
      left_out: isLeftOut,
      name,
    }),
  );
}
