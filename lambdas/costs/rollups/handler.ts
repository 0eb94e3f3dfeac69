/**
 * The rollup function: adds a batch of records from the log table's stream to the cost rollups and the counters of budgets.
 *
 * Unreadable records are quarantined and sent to the dead-letter queue, for `rollups replay`; the others are grouped by the
 * rollup rows that they change.
 */
import type { DynamoDBRecord } from 'aws-lambda';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { maxConnections } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { errorFields, type Log } from '#lambdas/platform/telemetry/log.ts';
import type { BatchCounters } from '../budgets/batch-counters.ts';
import type { PublishMetrics } from './entry-metrics.ts';
import type { Quarantine, RollupDeadLetterQueue } from './quarantine.ts';
import { type RollupRecord, sequenceNumberOf, toRowUpdates } from './row-updates.ts';
import { generationsAt, type RollupState } from './state.ts';
import type { CostRollupWriter } from './writer.ts';

/** A batch from one shard. The event source mapping has a tumbling window because only then `shardId` is in the event. */
interface ShardEvent {
  shardId?: string;
  Records: DynamoDBRecord[];
}

/** In a tumbling window, Lambda treats a response without a state as a failure. The state stays empty. */
export interface RollupResponse {
  state: Record<string, never>;
}

export type RollupHandler = (event: ShardEvent) => Promise<RollupResponse>;

/** Throws when the record is not a log entry that can be counted. */
type ReadRecord = (record: DynamoDBRecord) => RollupRecord;

type FindState = (organizationId: string) => Promise<RollupState>;

type FindBatchCounters = (
  records: readonly RollupRecord[],
  stateOf: (organizationId: string) => RollupState | undefined,
) => Promise<BatchCounters>;

export interface RollupDependencies {
  readRecord: ReadRecord;
  quarantine: Quarantine;
  findState: FindState;
  rollupWriter: CostRollupWriter;
  findCounters: FindBatchCounters;
  /** Deletes the marks of restored entries that have been counted. */
  removeMarks(records: readonly RollupRecord[]): Promise<void>;
  deadLetters: RollupDeadLetterQueue;
  publishMetrics: PublishMetrics;
  log: Log;
}

const emptyResponse: RollupResponse = { state: {} };

/** Throws when the table or the queue is unavailable: Lambda then retries the whole batch. */
export function createRollupHandler(dependencies: RollupDependencies): RollupHandler {
  const { quarantine, findState, rollupWriter, findCounters, removeMarks, deadLetters, publishMetrics } =
    dependencies;
  return async ({ shardId, Records }) => {
    const [first, last] = [Records.at(0), Records.at(-1)];
    // The invocation that ends a tumbling window has no records.
    if (first === undefined || last === undefined) return emptyResponse;
    if (shardId === undefined)
      throw new Error('The event has no shardId: configure a tumbling window on the event source mapping');
    const range = { first: sequenceNumberOf(first), last: sequenceNumberOf(last) };
    const quarantined = await quarantine.find(shardId, range);
    const { readable, unreadable } = readRecords(dependencies, Records, quarantined);
    // Before anything is added: once a row's watermark has passed a record, only the quarantine shows that it is missing.
    const unreadableSequenceNumbers = unreadable.map(sequenceNumberOf);
    await quarantine.add(
      shardId,
      unreadableSequenceNumbers.filter((number) => !quarantined.has(number)),
    );

    const states = await findStates(readable, findState);
    const counters = await findCounters(readable, (organizationId) => states.get(organizationId));
    const generationsOf = ({ entry, writtenAtMs }: RollupRecord) => {
      const state = states.get(entry.organization_id);
      return state === undefined ? [] : generationsAt(state, writtenAtMs);
    };
    await rollupWriter.add(shardId, toRowUpdates(readable, generationsOf, counters.recountFromMsOf));
    await counters.settle(shardId);
    await removeMarks(readable);

    // Last, so that retries of the additions send no duplicates. A duplicate after a failed send is harmless: a record is
    // replayed once, however many messages it has.
    await deadLetters.send(shardId, unreadable);
    // A batch that has failed is retried, so nothing of it is published before.
    publishMetrics(readable);
    return emptyResponse;
  };
}

interface ReadRecords {
  readable: RollupRecord[];
  unreadable: DynamoDBRecord[];
}

/** Treats quarantined records as unreadable, even if this version of the function could read them. */
function readRecords(
  { readRecord, log }: RollupDependencies,
  records: readonly DynamoDBRecord[],
  quarantined: ReadonlySet<string>,
): ReadRecords {
  const result: ReadRecords = { readable: [], unreadable: [] };
  for (const record of records) {
    const sequenceNumber = sequenceNumberOf(record);
    try {
      if (quarantined.has(sequenceNumber)) result.unreadable.push(record);
      else result.readable.push(readRecord(record));
    } catch (error) {
      // The record's content is not logged, because it may be anything.
      log.error('unreadable_record', {
        event_id: record.eventID,
        sequence_number: sequenceNumber,
        ...errorFields(error),
      });
      result.unreadable.push(record);
    }
  }
  return result;
}

/**
 * Reads the states in every invocation, without a cache. An invocation that does not see a new rebuild received its records
 * before the rebuild began, so they were written before its `cutoverMs`, which is some seconds in the future: the rebuild
 * counts them, not the stream.
 */
async function findStates(records: RollupRecord[], findState: FindState): Promise<Map<string, RollupState>> {
  const states = new Map<string, RollupState>();
  const organizationIds = new Set(records.map(({ entry }) => entry.organization_id));
  await forEachConcurrently(organizationIds, maxConnections, async (organizationId) => {
    states.set(organizationId, await findState(organizationId));
  });
  return states;
}
