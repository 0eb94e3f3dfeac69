/** What the calls through a client consumed, as the engine says. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface Consumption {
  calls: number;
  /** Read or write capacity units; in indexes too. */
  units: number;
  /** Items that a query looked at. */
  items: number;
}

export interface CapacityMeter {
  /** What was consumed since the last time that this was asked. */
  take(): Consumption;
}

interface CapacityOutput {
  ConsumedCapacity?: { CapacityUnits?: number } | { CapacityUnits?: number }[];
  ScannedCount?: number;
}

const nothing: Consumption = { calls: 0, units: 0, items: 0 };

export function meterCapacity(client: DynamoDBClient): CapacityMeter {
  let sum = nothing;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ConsumedCapacity, ScannedCount = 0 } = result.output as CapacityOutput;
      const units = [ConsumedCapacity ?? []].flat().map(({ CapacityUnits = 0 }) => CapacityUnits);
      sum = {
        calls: sum.calls + 1,
        units: units.reduce((left, right) => left + right, sum.units),
        items: sum.items + ScannedCount,
      };
      return result;
    },
    { step: 'initialize', priority: 'high' },
  );
  return {
    take() {
      const taken = sum;
      sum = nothing;
      return taken;
    },
  };
}
