/** What the messages in the rollups' dead-letter queue say. */

import type { DynamoDBRecord } from 'aws-lambda';
import {
  isJsonObject,
  type JsonObject,
  objectOf,
  parseJsonObject,
  textOf,
} from '#lambdas/platform/json/json.ts';
import { type RollupRecord, rollupRecordOf } from '../rollups/stream-record.ts';

/** A record that the function set aside. */
export interface RecordLetter {
  kind: 'record';
  shardId: string;
  sequenceNumber: string;
  /** As far as this version can read it; else why it cannot. */
  record: RollupRecord | string;
}

/** Records that Lambda gave up on, of which it says only where they were. */
export interface BatchLetter {
  kind: 'batch';
  shardId: string;
  records: number;
  /** When they came into the stream, by the second. */
  firstMs: number;
  lastMs: number;
}

export type DeadLetter = RecordLetter | BatchLetter | { kind: 'unknown' };

export function readDeadLetter(body: string): DeadLetter {
  const message = parseJsonObject(body) ?? {};
  if (message.kind === 'stream_record') return readRecordLetter(message);
  return isJsonObject(message.DDBStreamBatchInfo)
    ? readBatchLetter(message.DDBStreamBatchInfo)
    : { kind: 'unknown' };
}

function readRecordLetter({ shardId, record, note }: JsonObject): DeadLetter {
  const { eventID, eventName, SequenceNumber, ...dynamodb } = objectOf(record);
  const sequenceNumber = textOf(SequenceNumber);
  if (textOf(shardId) === '' || sequenceNumber === '') return { kind: 'unknown' };
  const letter = { kind: 'record', shardId: textOf(shardId), sequenceNumber } as const;
  if (typeof note === 'string') return { ...letter, record: 'it was too long for the queue' };
  // The queue has what the stream had: whether that is an entry is for the reader to say.
  const streamRecord = { eventID, eventName, dynamodb: { ...dynamodb, SequenceNumber } } as DynamoDBRecord;
  try {
    return { ...letter, record: rollupRecordOf(streamRecord) };
  } catch (error) {
    // Its name alone: what it says might quote the record.
    const name = error instanceof Error ? error.name : typeof error;
    return { ...letter, record: `it cannot be read (${name})` };
  }
}

function readBatchLetter(info: JsonObject): DeadLetter {
  const firstMs = Date.parse(textOf(info.approximateArrivalOfFirstRecord));
  const lastMs = Date.parse(textOf(info.approximateArrivalOfLastRecord));
  if (Number.isNaN(firstMs) || Number.isNaN(lastMs)) return { kind: 'unknown' };
  return { kind: 'batch', shardId: textOf(info.shardId), records: Number(info.batchSize), firstMs, lastMs };
}
