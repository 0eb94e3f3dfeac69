/** The two DynamoDB calls that a chat request needs. Implemented with and without the AWS SDK. */

export type Item = Record<string, unknown>;

export interface TableCalls {
  /** Strongly consistent. `timeoutMs` limits all attempts together. */
  get(tableName: string, key: Item, timeoutMs?: number): Promise<Item | null>;
  /** Rejects with a `ConditionFailedError` when the condition is false, and with another error on a timeout. */
  put(tableName: string, item: Item, options: PutOptions): Promise<void>;
}

export interface PutOptions {
  condition: PutCondition;
  timeoutMs: number;
}

export interface PutCondition {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

export class ConditionFailedError extends Error {
  /** The existing item; empty when there is none. */
  readonly item: Item;

  constructor(item: Item) {
    super('The condition of the put failed');
    this.item = item;
  }
}
