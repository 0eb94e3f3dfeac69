/** Adds what the stream of log entries brings to the cost rollups. */
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import type { CostRollupWriter, RollupRecord } from '../shared/domain/rollup.ts';
import { entryFromStreamImage } from '../shared/stores/log-entry-item.ts';

/** A batch of one shard. The mapping has a tumbling window for this alone: its events name the shard. */
export interface ShardEvent {
  shardId?: string;
  Records: DynamoDBRecord[];
}

export type RollupHandler = (event: ShardEvent) => Promise<DynamoDBBatchResponse>;

/**
 * Counts the records in front of the first one that cannot be read and reports that one, so that Lambda delivers
 * it and what follows again. Throws when the table does not answer: then the whole batch comes again.
 */
export function createRollupHandler(rollups: CostRollupWriter): RollupHandler {
  return async ({ shardId, Records }) => {
    // The call that only ends a window brings no records.
    if (Records.length === 0) return { batchItemFailures: [] };
    if (shardId === undefined)
      throw new Error('The event names no shard: the mapping needs a tumbling window');
    const { readable, unreadable } = readRecords(Records);
    await rollups.add(shardId, readable);
    return { batchItemFailures: unreadable === null ? [] : [{ itemIdentifier: unreadable }] };
  };
}

interface ReadRecords {
  readable: RollupRecord[];
  /** The sequence number of the first record that is no log entry. */
  unreadable: string | null;
}

function readRecords(records: DynamoDBRecord[]): ReadRecords {
  const readable: RollupRecord[] = [];
  for (const { eventID, dynamodb } of records) {
    const sequenceNumber = dynamodb?.SequenceNumber ?? '';
    try {
      readable.push({ sequenceNumber, entry: entryFromStreamImage(dynamodb?.NewImage) });
    } catch (error) {
      const name = error instanceof Error ? error.name : typeof error;
      console.error(
        JSON.stringify({ level: 'ERROR', event: 'unreadable_record', eventID, sequenceNumber, name }),
      );
      return { readable, unreadable: sequenceNumber };
    }
  }
  return { readable, unreadable: null };
}
