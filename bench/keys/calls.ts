/** Reads from the input and the output of a DynamoDB call which partition keys it uses, and what it consumes. */
import type { CallUnits } from './dynamodb-times.ts';

type Item = Record<string, unknown>;

export interface CallInput {
  TableName?: string;
  Key?: Item;
  Item?: Item;
  KeyConditionExpression?: string;
  ExpressionAttributeValues?: Item;
  /** In a batch. */
  RequestItems?: Record<string, { Keys?: Item[] }>;
  TransactItems?: Record<string, { TableName?: string; Key?: Item; Item?: Item }>[];
}

export interface CallOutput {
  ConsumedCapacity?: { CapacityUnits?: number } | { CapacityUnits?: number }[];
  ScannedCount?: number;
  Responses?: Record<string, unknown[]>;
  Item?: unknown;
}

export interface PartitionUse {
  table: string;
  partition: string;
}

/** One for each item, in which a partition may occur several times; one for a query. */
export function partitionsOf(input: CallInput): PartitionUse[] {
  const { TableName: table = '', TransactItems, RequestItems, Key, Item } = input;
  if (TransactItems !== undefined) {
    return TransactItems.flatMap((item) => Object.values(item)).map((part) => ({
      table: part.TableName ?? '',
      partition: partitionOf(part.Key ?? part.Item),
    }));
  }
  if (RequestItems !== undefined) {
    return Object.entries(RequestItems).flatMap(([name, { Keys = [] }]) =>
      Keys.map((key) => ({ table: name, partition: partitionOf(key) })),
    );
  }
  return [{ table, partition: Key || Item ? partitionOf(Key ?? Item) : queriedPartition(input) }];
}

function partitionOf({ pk, counter_key, organization_id, organization_shard }: Item = {}): string {
  return String(pk ?? counter_key ?? organization_shard ?? organization_id);
}

/** Every query compares the partition key first. */
function queriedPartition({
  KeyConditionExpression = '',
  ExpressionAttributeValues = {},
}: CallInput): string {
  const [name = ''] = /:\w+/.exec(KeyConditionExpression) ?? [];
  return String(ExpressionAttributeValues[name]);
}

const readOperations = new Set(['GetItemCommand', 'QueryCommand', 'BatchGetItemCommand']);

export function unitsOf(operation: string, input: CallInput, { ConsumedCapacity }: CallOutput): CallUnits {
  const capacities = [ConsumedCapacity ?? []].flat();
  const units = capacities.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  return {
    kind: readOperations.has(operation) ? 'reads' : 'writes',
    units,
    transactionItems: input.TransactItems?.length ?? 0,
  };
}

/** The items that the call has evaluated or written. */
export function itemsOf(input: CallInput, output: CallOutput): number {
  if (output.Responses !== undefined) {
    return Object.values(output.Responses).reduce((sum, items) => sum + items.length, 0);
  }
  return input.TransactItems?.length ?? output.ScannedCount ?? 1;
}
