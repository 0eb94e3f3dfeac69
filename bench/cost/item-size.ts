/** How large DynamoDB takes an item to be, and what writing and keeping it counts as. */
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { indexes } from '#lambdas/request-log/table/item.ts';

/** What DynamoDB adds to each item that it stores, in an index too. */
const overheadBytes = 100;

/**
 * Names and values. Text is its bytes, a number about one byte for two digits and one more.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + bytesOf(value),
    0,
  );
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'boolean') return 1;
  if (typeof value === 'number' || value instanceof NumberValue) return numberBytes(value.toString());
  throw new Error(`No size is known for ${typeof value}`);
}

function numberBytes(text: string): number {
  const digits = text.replace(/[-.]/g, '').replace(/^0+|0+$/g, '').length;
  return Math.ceil(digits / 2) + 1;
}

/** How often an item is stored: in the table, and in each index whose key it has. */
export function copiesOf(item: Item): number {
  return 1 + Object.values(indexes).filter(({ key }) => Object.hasOwn(item, key)).length;
}

/** A unit for each kilobyte that was begun, in each copy. A condition costs nothing. */
export function writeUnits(item: Item): number {
  return Math.ceil(itemBytes(item) / 1024) * copiesOf(item);
}

/** Of one copy. */
export function storedBytes(item: Item): number {
  return itemBytes(item) + overheadBytes;
}
