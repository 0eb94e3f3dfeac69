/** Items in DynamoDB's own JSON. */
import { NumberValueImpl as NumberValue, unmarshall } from '@aws-sdk/util-dynamodb';
import { readNumber } from './dynamodb-number.ts';
import type { Item } from './table-calls.ts';

/** Of texts, numbers and truth values: the library's own function takes ten times as long, for every kind there is. */
export function attributesJson(item: Item): string {
  let members = '';
  for (const name of Object.keys(item)) {
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${attributeJson(item[name])}`;
  }
  return `{${members}}`;
}

export function fromAttributes(attributes: object): Item {
  return unmarshall({ ...attributes }, { wrapNumbers: readNumber });
}

function attributeJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `{"S":${JSON.stringify(value)}}`;
    case 'number':
      return `{"N":"${value}"}`;
    case 'boolean':
      return `{"BOOL":${value}}`;
    default:
      if (value instanceof NumberValue) return `{"N":"${value}"}`;
      throw new TypeError(`A ${typeof value} cannot be an attribute`);
  }
}
