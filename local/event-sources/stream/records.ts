/** Converts records of DynamoDB Streams to the format of Lambda events. */
import type { _Record as SdkRecord } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { isObject } from '#local/untyped-json.ts';

export interface StreamRecord extends DynamoDBRecord {
  dynamodb: NonNullable<DynamoDBRecord['dynamodb']> & { SequenceNumber: string };
}

export function toStreamRecord(
  record: SdkRecord,
  source: { streamArn: string; region: string },
): StreamRecord {
  const {
    ApproximateCreationDateTime: createdAt = new Date(0),
    SequenceNumber = '',
    ...change
  } = record.dynamodb ?? {};
  return {
    eventID: record.eventID,
    eventName: record.eventName as DynamoDBRecord['eventName'],
    eventVersion: record.eventVersion,
    eventSource: 'aws:dynamodb',
    awsRegion: source.region,
    dynamodb: {
      ApproximateCreationDateTime: createdAt.getTime() / 1000,
      SequenceNumber,
      ...(withBase64(change) as DynamoDBRecord['dynamodb']),
    },
    eventSourceARN: source.streamArn,
  };
}

export function arrivalMs(record: StreamRecord): number {
  return (record.dynamodb.ApproximateCreationDateTime ?? 0) * 1000;
}

/** Encodes binary attributes, which the SDK has decoded, in base64, as in Lambda events. */
function withBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(withBase64);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withBase64(field)]));
}
