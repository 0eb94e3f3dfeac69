/** Messages in the rollups' dead-letter queue: what they hold, and whether it still has to be counted. */

import type { DynamoDBRecord } from 'aws-lambda';
import { z } from 'zod';
import type { Directory, Organization } from '#lambdas/access/directory.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { clockSkewToleranceMs, maxRequestMs } from '#lambdas/request-log/durations.ts';
import { readLogEntryExtent } from '#lambdas/request-log/table/existence.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { type RollupRecord, rollupRecordOf } from '../rollups/increments.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import { createRebuildStore } from './rebuild-state.ts';

/** A record that the rollup function quarantined. */
export interface RecordDeadLetter {
  kind: 'record';
  shardId: string;
  sequenceNumber: string;
  /** The record, or the reason why this version cannot read it. */
  record: RollupRecord | string;
}

/** Records that Lambda gave up on, of which it says only where they were. */
export interface BatchDeadLetter {
  kind: 'batch';
  shardId: string;
  records: number;
  /** When they came into the stream, with a precision of a second. */
  firstMs: number;
  lastMs: number;
}

export type DeadLetter = RecordDeadLetter | BatchDeadLetter | { kind: 'unknown' };

const name = z.string().min(1);
const time = z.string().transform((text, context) => {
  const timestampMs = Date.parse(text);
  if (Number.isNaN(timestampMs)) context.addIssue('It must be a time');
  return timestampMs;
});

/** As the rollup function sends it. Whether its images are an entry is for `rollupRecordOf` to say. */
const recordMessage = z.object({
  kind: z.literal('stream_record'),
  shardId: name,
  record: z.looseObject({ SequenceNumber: name }),
  note: z.string().optional(),
});

/** https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html */
const batchMessage = z.object({
  DDBStreamBatchInfo: z.object({
    shardId: z.string().default(''),
    batchSize: z.number(),
    approximateArrivalOfFirstRecord: time,
    approximateArrivalOfLastRecord: time,
  }),
});

const message = z.union([
  recordMessage.transform(({ shardId, record, note }): DeadLetter => {
    const letter = { kind: 'record', shardId, sequenceNumber: record.SequenceNumber } as const;
    return { ...letter, record: note === undefined ? readRecord(record) : 'it was too long for the queue' };
  }),
  batchMessage.transform(
    ({ DDBStreamBatchInfo: batch }): DeadLetter => ({
      kind: 'batch',
      shardId: batch.shardId,
      records: batch.batchSize,
      firstMs: batch.approximateArrivalOfFirstRecord,
      lastMs: batch.approximateArrivalOfLastRecord,
    }),
  ),
]);

export function readDeadLetter(body: string): DeadLetter {
  return message.safeParse(parseJson(body)).data ?? { kind: 'unknown' };
}

function readRecord({ eventID, eventName, ...dynamodb }: Record<string, unknown>): RollupRecord | string {
  try {
    return rollupRecordOf({ eventID, eventName, dynamodb } as DynamoDBRecord);
  } catch (error) {
    // Only the error's name, since its message might quote the record.
    return `it cannot be read (${error instanceof Error ? error.name : typeof error})`;
  }
}

export interface IncompleteRollupsDependencies {
  directory: Pick<Directory, 'listOrganizations'>;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  now(): Date;
}

/**
 * The organizations whose rollups may lack records that Lambda gave up on, since it does not say whose these were: those
 * with entries that have not been rebuilt since, or only in part of that time.
 */
export async function findIncompleteRollups(
  dependencies: IncompleteRollupsDependencies,
  batch: BatchDeadLetter,
): Promise<string[]> {
  const lacking: string[] = [];
  for (const organization of await dependencies.directory.listOrganizations()) {
    if (await isLacking(dependencies, organization, batch)) lacking.push(organization.id);
  }
  return lacking;
}

async function isLacking(
  { logEntries, costRollups }: IncompleteRollupsDependencies,
  { id, created_at, log_shards }: Organization,
  { firstMs, lastMs }: BatchDeadLetter,
): Promise<boolean> {
  if (Date.parse(created_at) > lastMs + clockSkewToleranceMs) return false;
  const { fromMs, countsFromMs } = await createRebuildStore(costRollups, id).find();
  const isRebuilt = fromMs > lastMs + clockSkewToleranceMs && countsFromMs <= firstMs - maxRequestMs;
  return !isRebuilt && (await readLogEntryExtent(logEntries, id, log_shards)) !== null;
}
