/** The two calls of DynamoDB that a chat request needs, whoever makes them. */

export type Item = Record<string, unknown>;

export interface TableCalls {
  /** One strongly consistent read. */
  get(tableName: string, key: Item): Promise<Item | null>;
  /** Rejects with `ConditionFailedError` where the condition does not hold, and when the time is over. */
  put(tableName: string, item: Item, limits: PutOptions): Promise<void>;
}

export interface PutOptions {
  condition: PutCondition;
  timeoutMs: number;
}

/** In the terms of DynamoDB. */
export interface PutCondition {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

export class ConditionFailedError extends Error {
  /** As it was read along with the refusal. */
  readonly item: Item;

  constructor(item: Item) {
    super('The condition of a put does not hold');
    this.item = item;
  }
}
