/** Records the reads of a DynamoDB client and their consumed capacity. */
import type { DynamoDBClient, QueryCommandOutput } from '@aws-sdk/client-dynamodb';

export interface MeteredRead {
  /** The command's input with native JavaScript values. */
  input: Record<string, unknown>;
  /** Items that were evaluated, before the filter (`ScannedCount`). */
  evaluated: number;
  units: number;
}

export interface ReadMeter {
  /** Returns the reads since the last call. */
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
