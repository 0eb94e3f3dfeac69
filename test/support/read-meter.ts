/** What the reads through a client cost, as the engine says: for tests that hold how much an answer may read. */
import type { DynamoDBClient, QueryCommandOutput } from '@aws-sdk/client-dynamodb';

export interface MeteredRead {
  /** As it was sent, with its values as JavaScript has them. */
  input: Record<string, unknown>;
  /** Items that were looked at, whether or not they passed the filter. */
  evaluated: number;
  /** Read capacity units. */
  units: number;
}

export interface ReadMeter {
  /** The reads since the last time that this was asked. */
  take(): MeteredRead[];
}

export function meterReads(client: DynamoDBClient): ReadMeter {
  let reads: MeteredRead[] = [];
  client.middlewareStack.add(
    (next) => async (args) => {
      const input = { ...args.input };
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ScannedCount = 0, ConsumedCapacity } = result.output as QueryCommandOutput;
      reads.push({ input, evaluated: ScannedCount, units: ConsumedCapacity?.CapacityUnits ?? 0 });
      return result;
    },
    { step: 'initialize', priority: 'high' },
  );
  return {
    take() {
      const taken = reads;
      reads = [];
      return taken;
    },
  };
}
