/** Parses messages of the rollups' dead-letter queue, and finds the organizations whose rollups may be incomplete. */

import type { DynamoDBRecord } from 'aws-lambda';
import { z } from 'zod';
import type { Directory, Organization } from '#lambdas/access/directory.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { clockSkewToleranceMs, maxRequestMs } from '#lambdas/request-log/durations.ts';
import { readLogEntryExtent } from '#lambdas/request-log/table/extent.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import { type RollupRecord, toRollupRecord } from '../rollups/row-updates.ts';
import { findRebuildState } from './rebuild-state.ts';

export interface RecordDeadLetter {
  kind: 'record';
  shardId: string;
  sequenceNumber: string;
  /** The record, or the reason why this version cannot read it. */
  record: RollupRecord | string;
}

/** A batch that Lambda discarded after its last retry. The message has only the position of the records in the stream. */
export interface BatchDeadLetter {
  kind: 'batch';
  shardId: string;
  records: number;
  /** The approximate arrival times of the first and the last record, in whole seconds. */
  firstMs: number;
  lastMs: number;
}

export type DeadLetter = RecordDeadLetter | BatchDeadLetter | { kind: 'unknown' };

const nonEmptyString = z.string().min(1);
const timestamp = z.string().transform((text, context) => {
  const timestampMs = Date.parse(text);
  if (Number.isNaN(timestampMs)) context.addIssue('It must be a time');
  return timestampMs;
});

/** The format that the rollup function sends. `toRollupRecord` validates the images. */
const recordMessage = z.object({
  kind: z.literal('stream_record'),
  shardId: nonEmptyString,
  record: z.looseObject({ SequenceNumber: nonEmptyString }),
  note: z.string().optional(),
});

/** https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html */
const batchMessage = z.object({
  DDBStreamBatchInfo: z.object({
    shardId: z.string().default(''),
    batchSize: z.number(),
    approximateArrivalOfFirstRecord: timestamp,
    approximateArrivalOfLastRecord: timestamp,
  }),
});

const message = z.union([
  recordMessage.transform(({ shardId, record, note }): DeadLetter => {
    const deadLetter = { kind: 'record', shardId, sequenceNumber: record.SequenceNumber } as const;
    return {
      ...deadLetter,
      record: note === undefined ? readRecord(record) : 'its content did not fit into a queue message',
    };
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
    return toRollupRecord({ eventID, eventName, dynamodb } as DynamoDBRecord);
  } catch (error) {
    // Only the error's name: its message might quote the record.
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
 * The organizations whose rollups may not include the records of a discarded batch. The batch does not name them, so these
 * are all organizations that have entries and no later rebuild that covers the time of the batch.
 */
export async function findIncompleteRollups(
  dependencies: IncompleteRollupsDependencies,
  batch: BatchDeadLetter,
): Promise<string[]> {
  const incomplete: string[] = [];
  for (const organization of await dependencies.directory.listOrganizations()) {
    if (await isIncomplete(dependencies, organization, batch)) incomplete.push(organization.id);
  }
  return incomplete;
}

async function isIncomplete(
  { logEntries, costRollups }: IncompleteRollupsDependencies,
  { id, created_at, log_shards }: Organization,
  { firstMs, lastMs }: BatchDeadLetter,
): Promise<boolean> {
  if (Date.parse(created_at) > lastMs + clockSkewToleranceMs) return false;
  const { cutoverMs, countsFromMs } = await findRebuildState(costRollups, id);
  const isRebuilt = cutoverMs > lastMs + clockSkewToleranceMs && countsFromMs <= firstMs - maxRequestMs;
  return !isRebuilt && (await readLogEntryExtent(logEntries, id, log_shards)) !== null;
}
