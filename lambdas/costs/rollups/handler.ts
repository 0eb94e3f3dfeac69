/** Adds what the stream of log entries brings to the cost rollups. */
import type { DynamoDBRecord } from 'aws-lambda';
import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import { errorFields, log } from '#lambdas/platform/log.ts';
import { sequenceNumberOf } from './increments.ts';
import type { RollupDeadLetters } from './quarantine.ts';
import {
  type CostRollupWriter,
  generationsAt,
  type QuarantinedRecords,
  type RollupRecord,
  type RollupState,
} from './rollup.ts';
/** A batch of one shard. The mapping has a tumbling window for this alone: its events name the shard. */
export interface ShardEvent {
  shardId?: string;
  Records: DynamoDBRecord[];
}

/** Within a window, Lambda takes an answer without a state for a failure. Nothing has to be carried in it. */
export interface RollupResponse {
  state: Record<string, never>;
}

export type RollupHandler = (event: ShardEvent) => Promise<RollupResponse>;

export interface RollupParts {
  rollups: CostRollupWriter;
  quarantine: QuarantinedRecords;
  deadLetters: RollupDeadLetters;
  readRecord: ReadRecord;
  /** Strongly consistent. */
  findState(organizationId: string): Promise<RollupState>;
}

const organizationsAtOnce = 50;
const done: RollupResponse = { state: {} };

/**
 * Counts what can be read and puts the rest into the dead-letter queue, for `rollups replay`. Throws when the table or the
 * queue does not answer: then the whole batch comes again, until both do.
 */
export function createRollupHandler(parts: RollupParts): RollupHandler {
  return async ({ shardId, Records }) => {
    const [first, last] = [Records.at(0), Records.at(-1)];
    // The call that only ends a window brings no records.
    if (first === undefined || last === undefined) return done;
    if (shardId === undefined)
      throw new Error('The event names no shard: the mapping needs a tumbling window');
    const range = { first: sequenceNumberOf(first), last: sequenceNumberOf(last) };
    const quarantined = await parts.quarantine.find(shardId, range);
    const { readable, quarantine } = readRecords(Records, parts.readRecord, quarantined);
    // Before anything is added: later a row's watermark may be behind a record that only this item says it lacks.
    await parts.quarantine.add(
      shardId,
      quarantine.map(sequenceNumberOf).filter((number) => !quarantined.has(number)),
    );
    await count(parts, shardId, readable);
    // Last, so that a batch which comes again because it could not be added sends nothing twice; until the queue has these
    // records, the batch itself comes again, and a message that is there twice is replayed once.
    await parts.deadLetters.send(shardId, quarantine);
    return done;
  };
}

async function count({ rollups, findState }: RollupParts, shardId: string, records: RollupRecord[]) {
  const states = await findStates(records, findState);
  await rollups.add(shardId, records, ({ entry, writtenAtMs }) => {
    const state = states.get(entry.organization_id);
    return state === undefined ? [] : generationsAt(state, writtenAtMs);
  });
}

/**
 * Read anew in each invocation. One that does not see that a rebuild has begun read its records before that, so they
 * were written before the rebuild's `fromMs`, which is some seconds ahead: the rebuild counts them, not the stream.
 */
async function findStates(
  records: RollupRecord[],
  findState: RollupParts['findState'],
): Promise<Map<string, RollupState>> {
  const states = new Map<string, RollupState>();
  const organizationIds = new Set(records.map(({ entry }) => entry.organization_id));
  await forEachAtOnce(organizationIds, organizationsAtOnce, async (organizationId) => {
    states.set(organizationId, await findState(organizationId));
  });
  return states;
}

// Tells the records of a batch that can be counted from those that are to be quarantined.

export type ReadRecord = (record: DynamoDBRecord) => RollupRecord;

export interface ReadRecords {
  readable: RollupRecord[];
  quarantine: DynamoDBRecord[];
}

/** Those that were quarantined before stay so: `quarantined` has their numbers. */
export function readRecords(
  records: readonly DynamoDBRecord[],
  read: ReadRecord,
  quarantined: ReadonlySet<string>,
): ReadRecords {
  const result: ReadRecords = { readable: [], quarantine: [] };
  for (const record of records) {
    if (quarantined.has(sequenceNumberOf(record))) {
      result.quarantine.push(record);
      continue;
    }
    try {
      result.readable.push(read(record));
    } catch (error) {
      logUnreadable(record, error);
      result.quarantine.push(record);
    }
  }
  return result;
}

/** Nothing of its content: it may be anything. */
function logUnreadable(record: DynamoDBRecord, error: unknown): void {
  log.error('unreadable_record', {
    event_id: record.eventID,
    sequence_number: sequenceNumberOf(record),
    ...errorFields(error),
  });
}
