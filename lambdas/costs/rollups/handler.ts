/**
 * The rollup function: adds a batch of the stream of log entries to the cost rollups.
 *
 * Records that cannot be read are quarantined and sent to the dead-letter queue, for `rollups replay`; the others are
 * grouped by the rows that they change, and added to them.
 */
import type { DynamoDBRecord } from 'aws-lambda';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { errorFields, log } from '#lambdas/platform/log.ts';
import { type RollupRecord, rowAdditionsOf, sequenceNumberOf } from './increments.ts';
import type { Quarantine, RollupDeadLetters } from './quarantine.ts';
import { generationsAt, type RollupState } from './state.ts';
import type { CostRollupWriter } from './writer.ts';

/** A batch of one shard. The mapping has a tumbling window for this alone: its events name the shard. */
export interface ShardEvent {
  shardId?: string;
  Records: DynamoDBRecord[];
}

/** Within a window, Lambda takes a response without a state for a failure. Nothing has to be carried in it. */
export interface RollupResponse {
  state: Record<string, never>;
}

export type RollupHandler = (event: ShardEvent) => Promise<RollupResponse>;

/** Throws where the record is no log entry that can be counted. */
export type ReadRecord = (record: DynamoDBRecord) => RollupRecord;

/** Strongly consistent. */
export type FindState = (organizationId: string) => Promise<RollupState>;

export interface RollupDependencies {
  readRecord: ReadRecord;
  quarantine: Quarantine;
  findState: FindState;
  rollups: CostRollupWriter;
  deadLetters: RollupDeadLetters;
}

const organizationsAtOnce = 50;
const done: RollupResponse = { state: {} };

/** Throws when the table or the queue does not respond: then the whole batch comes again, until both do. */
export function createRollupHandler(dependencies: RollupDependencies): RollupHandler {
  const { readRecord, quarantine, findState, rollups, deadLetters } = dependencies;
  return async ({ shardId, Records }) => {
    const [first, last] = [Records.at(0), Records.at(-1)];
    // The call that only ends a window brings no records.
    if (first === undefined || last === undefined) return done;
    if (shardId === undefined)
      throw new Error('The event names no shard: the mapping needs a tumbling window');
    const range = { first: sequenceNumberOf(first), last: sequenceNumberOf(last) };
    const quarantined = await quarantine.find(shardId, range);
    const { readable, unreadable } = readRecords(Records, quarantined, readRecord);
    // Before anything is added: once a row's watermark has passed a record, this alone says that the row lacks it.
    const numbers = unreadable.map(sequenceNumberOf);
    await quarantine.add(
      shardId,
      numbers.filter((number) => !quarantined.has(number)),
    );

    const states = await findStates(readable, findState);
    const rows = rowAdditionsOf(readable, ({ entry, writtenAtMs }) => {
      const state = states.get(entry.organization_id);
      return state === undefined ? [] : generationsAt(state, writtenAtMs);
    });
    await rollups.add(shardId, rows);

    // Last, so that a batch that comes again because it could not be added sends nothing twice. Until the queue has these
    // records, the batch comes again, and a record whose message is there twice is replayed once.
    await deadLetters.send(shardId, unreadable);
    return done;
  };
}

interface ReadRecords {
  readable: RollupRecord[];
  unreadable: DynamoDBRecord[];
}

/** A record that was quarantined before stays so, though this version of the function may be able to read it. */
function readRecords(
  records: readonly DynamoDBRecord[],
  quarantined: ReadonlySet<string>,
  read: ReadRecord,
): ReadRecords {
  const result: ReadRecords = { readable: [], unreadable: [] };
  for (const record of records) {
    const sequenceNumber = sequenceNumberOf(record);
    try {
      if (quarantined.has(sequenceNumber)) result.unreadable.push(record);
      else result.readable.push(read(record));
    } catch (error) {
      // Nothing of the record's content, which may be anything.
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
 * Read anew in each invocation. One that does not see that a rebuild has begun read its records before that, so they
 * were written before the rebuild's `fromMs`, which is some seconds ahead: the rebuild counts them, not the stream.
 */
async function findStates(records: RollupRecord[], findState: FindState): Promise<Map<string, RollupState>> {
  const states = new Map<string, RollupState>();
  const organizationIds = new Set(records.map(({ entry }) => entry.organization_id));
  await forEachConcurrently(organizationIds, organizationsAtOnce, async (organizationId) => {
    states.set(organizationId, await findState(organizationId));
  });
  return states;
}
