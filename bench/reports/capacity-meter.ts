/** Counts a client's DynamoDB calls and the capacity that their responses report. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface Consumption {
  calls: number;
  /** Read or write capacity units, including those of indexes. */
  units: number;
  /** Items that queries evaluated (`ScannedCount`). */
  items: number;
}

export interface CapacityMeter {
  /** Returns the consumption since the previous call, and resets it. */
  take(): Consumption;
}

interface CapacityOutput {
  ConsumedCapacity?: { CapacityUnits?: number } | { CapacityUnits?: number }[];
  ScannedCount?: number;
}

export function meterCapacity(client: DynamoDBClient): CapacityMeter {
  const none: Consumption = { calls: 0, units: 0, items: 0 };
  let consumed = { ...none };
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ConsumedCapacity, ScannedCount = 0 } = result.output as CapacityOutput;
      consumed.calls += 1;
      consumed.items += ScannedCount;
      for (const { CapacityUnits = 0 } of [ConsumedCapacity ?? []].flat()) consumed.units += CapacityUnits;
      return result;
    },
    { step: 'initialize', priority: 'high' },
  );
  return {
    take() {
      const taken = consumed;
      consumed = { ...none };
      return taken;
    },
  };
}
