/**
 * Watermarks: for each source, the last record that a row has counted, in an attribute of the row.
 *
 * A watermark sorts as text as the numbers do: a number's length in two digits, then the number. That of a stream shard
 * ends with the hour in which it was moved, since it is needed only for so long: what it stands for was in the stream by
 * then, and a stream keeps its records for a day. Other sources, such as a rebuild that was stopped, may come
 * again at any time.
 */
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

const attributePrefix = 'w#';
const streamShardPrefix = 'shardId-';
const hourMs = 3_600_000;

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html */
export const streamRetentionMs = 24 * hourMs;

/** Two hours longer than a stream keeps a record: more than clocks differ, a function runs and an hour is rounded. */
const keptHours = streamRetentionMs / hourMs + 2;

export function watermarkAttribute(source: string): string {
  return `${attributePrefix}${source.startsWith(streamShardPrefix) ? source.slice(streamShardPrefix.length) : source}`;
}

/** Sorts as the number does, and before the watermark at that number. */
export function sortableNumber(sequenceNumber: string): string {
  return `${String(sequenceNumber.length).padStart(2, '0')}${sequenceNumber}`;
}

export function watermarkAt(source: string, sortable: string, now: Date): string {
  return source.startsWith(streamShardPrefix) ? `${sortable}@${hourOf(now)}` : sortable;
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

function hourOf(time: Date): number {
  return Math.floor(time.getTime() / hourMs);
}
