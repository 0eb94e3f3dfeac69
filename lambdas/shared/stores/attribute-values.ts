/** Items in DynamoDB's own JSON. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { NumberValueImpl as NumberValue, unmarshall } from '@aws-sdk/util-dynamodb';
import { readNumber } from './dynamodb-number.ts';
import type { Item } from './table-calls.ts';

/** Of texts, numbers and truth values: the library's own function takes ten times as long, for every kind there is. */
export function toAttributes(item: Item): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(item)) {
    attributes[name] = toAttribute(value);
  }
  return attributes;
}

export function fromAttributes(attributes: object): Item {
  return unmarshall({ ...attributes }, { wrapNumbers: readNumber });
}

function toAttribute(value: unknown): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'number':
      return { N: String(value) };
    case 'boolean':
      return { BOOL: value };
    default:
      if (value instanceof NumberValue) return { N: value.toString() };
      throw new TypeError(`A ${typeof value} cannot be an attribute`);
  }
}
