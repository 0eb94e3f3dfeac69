/**
 * A watermark is the last record of a source that a row has counted, in an attribute of the row.
 *
 * A watermark sorts as text as the numbers do: a number's length in two digits, then the number. That of a stream shard
 * ends with the hour in which it was moved, since it is needed only for so long: its record was in the stream by then,
 * and a stream keeps its records for a day. A rebuild that was stopped may continue at any time.
 */
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

/**
 * The source of additions to a row: a shard of the stream by its id, the rows that a rebuild copies, or the entries that
 * it counts. Each has numbers of its own: sequence numbers, periods and ids of entries.
 */
export type Source = StreamShardId | 'copy' | 'rebuild';

/** Lambda's events have it as a `string`. DynamoDB begins every id of a shard with `shardId-`. */
type StreamShardId = string & {};

const attributePrefix = 'w#';
const streamShardPrefix = 'shardId-';
const hourMs = 3_600_000;

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html */
export const streamRetentionMs = 24 * hourMs;

/** Two hours longer than a stream keeps a record: more than clocks differ, a function runs and an hour is rounded. */
const keptHours = streamRetentionMs / hourMs + 2;

export function watermarkAttribute(source: Source): string {
  return `${attributePrefix}${isStreamShard(source) ? source.slice(streamShardPrefix.length) : source}`;
}

/** Sorts as the number does, and before the watermark at that number. */
export function sortableNumber(sequenceNumber: string): string {
  return `${String(sequenceNumber.length).padStart(2, '0')}${sequenceNumber}`;
}

/** The number of which `sortableNumber` made the text. */
export function sequenceNumberIn(sortable: string): string {
  return sortable.slice('00'.length);
}

export function watermarkAt(source: Source, sortable: string, now: Date): string {
  return isStreamShard(source) ? `${sortable}@${hourOf(now)}` : sortable;
}

/** Whether a watermark says that the record is in the sums. */
export function isCounted(sortable: string, watermark: string): boolean {
  return sortable <= watermark;
}

/** The row's watermarks for which the stream can bring nothing any more. */
export function expiredWatermarks(row: Item, now: Date): [attribute: string, watermark: string][] {
  return Object.entries(row).flatMap(([attribute, value]) => {
    const movedInHour = attribute.startsWith(attributePrefix)
      ? /@(\d+)$/.exec(String(value))?.[1]
      : undefined;
    const isExpired = movedInHour !== undefined && hourOf(now) - Number(movedInHour) > keptHours;
    return isExpired ? [[attribute, String(value)]] : [];
  });
}

function isStreamShard(source: Source): boolean {
  return source.startsWith(streamShardPrefix);
}

function hourOf(time: Date): number {
  return Math.floor(time.getTime() / hourMs);
}
