/** Adds what the stream of log entries brings to the cost rollups. */
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import {
  type CostRollupWriter,
  generationsAt,
  type RollupRecord,
  type RollupState,
} from '../shared/domain/rollup.ts';
import { forEachAtOnce } from '../shared/domain/work-pool.ts';
import { readRecords } from './read-records.ts';

/** A batch of one shard. The mapping has a tumbling window for this alone: its events name the shard. */
export interface ShardEvent {
  shardId?: string;
  Records: DynamoDBRecord[];
}

/** Within a window, Lambda takes an answer without a state for a failure. Nothing has to be carried in it. */
export interface RollupResponse extends DynamoDBBatchResponse {
  state: Record<string, never>;
}

export type RollupHandler = (event: ShardEvent) => Promise<RollupResponse>;

export interface RollupParts {
  rollups: CostRollupWriter;
  /** Strongly consistent. */
  findState(organizationId: string): Promise<RollupState>;
  now(): Date;
}

const organizationsAtOnce = 50;

/**
 * Counts the records in front of the first one that cannot be read and reports that one, so that Lambda delivers
 * it and what follows again. Throws when the table does not answer: then the whole batch comes again, until it does.
 */
export function createRollupHandler({ rollups, findState, now }: RollupParts): RollupHandler {
  return async ({ shardId, Records }) => {
    // The call that only ends a window brings no records.
    if (Records.length === 0) return { state: {}, batchItemFailures: [] };
    if (shardId === undefined)
      throw new Error('The event names no shard: the mapping needs a tumbling window');
    const { readable, unreadable } = readRecords(Records, now());
    const states = await findStates(readable, findState);
    await rollups.add(shardId, readable, ({ entry, writtenAtMs }) => {
      const state = states.get(entry.organization_id);
      return state === undefined ? [] : generationsAt(state, writtenAtMs);
    });
    return {
      state: {},
      batchItemFailures: unreadable === null ? [] : [{ itemIdentifier: unreadable }],
    };
  };
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
