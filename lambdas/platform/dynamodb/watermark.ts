/**
 * Watermarks: for each source of additions, an attribute of the row with the last record that the row has counted.
 *
 * A watermark is the length of the sequence number in two digits, followed by the number, so that text order is numeric
 * order. The watermark of a stream shard ends with the hour of its last update: it may be removed after the retention of
 * the stream. Watermarks of rebuilds do not expire, since an interrupted rebuild may continue at any time.
 *
 * A row has up to seven watermarks, and costs a second write unit from 1 kB on. So the numbers of stream shards are in
 * base 36.
 */
import { hourMs } from '../duration.ts';
import type { Item } from './table.ts';

/**
 * A source of additions: a stream shard (by its id), the rows that a rebuild copies, or the entries that it counts. Their
 * records are numbered by sequence numbers, periods and entry ids respectively.
 */
export type Source = StreamShardId | 'copy' | 'rebuild';

/** Begins with `shardId-`. */
type StreamShardId = string & {};

const attributePrefix = 'w#';
const streamShardPrefix = 'shardId-';

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html */
export const streamRetentionMs = 24 * hourMs;

/** Two hours more than the stream's retention, for clock skew, the duration of an invocation and rounding to hours. */
const retentionHours = streamRetentionMs / hourMs + 2;

export function watermarkAttribute(source: Source): string {
  const [, createdMs, suffix] = /^shardId-(\d{20})-([0-9a-f]+)$/.exec(source) ?? [];
  if (createdMs !== undefined) return `${attributePrefix}${toBase36(createdMs)}-${suffix}`;
  return attributePrefix + (isStreamShard(source) ? source.slice(streamShardPrefix.length) : source);
}

/** Sorts as text like the number. */
export function sortableNumber(sequenceNumber: string): string {
  return `${String(sequenceNumber.length).padStart(2, '0')}${sequenceNumber}`;
}

export function parseSortableNumber(sortableSequenceNumber: string): string {
  return sortableSequenceNumber.slice('00'.length);
}

/** Sorts as text before the watermark at the same record. */
export function watermarkPosition(source: Source, sequenceNumber: string): string {
  return sortableNumber(isStreamShard(source) ? toBase36(sequenceNumber) : sequenceNumber);
}

export function watermarkValue(source: Source, sequenceNumber: string, now: Date): string {
  const position = watermarkPosition(source, sequenceNumber);
  return isStreamShard(source) ? `${position}@${toHour(now).toString(36)}` : position;
}

export function isCounted(position: string, watermark: string): boolean {
  return position <= watermark;
}

/** The watermarks of stream shards whose records have left the stream. */
export function expiredWatermarks(row: Item, now: Date): [attribute: string, watermark: string][] {
  return Object.entries(row).flatMap(([attribute, value]) => {
    const updatedHour = attribute.startsWith(attributePrefix)
      ? /@([0-9a-z]+)$/.exec(String(value))?.[1]
      : undefined;
    const isExpired =
      updatedHour !== undefined && toHour(now) - Number.parseInt(updatedHour, 36) > retentionHours;
    return isExpired ? [[attribute, String(value)]] : [];
  });
}

export function isStreamShard(source: Source): boolean {
  return source.startsWith(streamShardPrefix);
}

function toBase36(digits: string): string {
  return BigInt(digits).toString(36);
}

function toHour(time: Date): number {
  return Math.floor(time.getTime() / hourMs);
}
