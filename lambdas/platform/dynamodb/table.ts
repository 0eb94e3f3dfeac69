/** The DynamoDB calls that a chat request needs. Implemented with and without the AWS SDK. */
import type { Retries } from '../aws/json-client.ts';

export type Item = Record<string, unknown>;

export interface TableCalls {
  /** Strongly consistent. `timeoutMs` limits all attempts together. */
  get(tableName: string, key: Item, timeoutMs?: number): Promise<Item | null>;
  /** Rejects with a `ConditionFailedError` when the condition is false, and with another error on a timeout. */
  put(tableName: string, item: Item, options: PutOptions): Promise<void>;
}

/** Separate, since only requests with a hard budget or rate limits need it. */
export interface TableUpdates {
  /**
   * Rejects like `put`. A lost response is retried, so an update that is not idempotent may be made twice. Resolves to the
   * changed attributes if they are requested, else to an empty item.
   */
  update(tableName: string, key: Item, options: UpdateOptions): Promise<Item>;
  /** All or nothing. Resolves to `false` if a condition is false, or another write is changing one of the items. */
  updateTogether(tableName: string, updates: readonly KeyedUpdate[], timeoutMs: number): Promise<boolean>;
}

export interface KeyedUpdate {
  key: Item;
  UpdateExpression: string;
  condition: WriteCondition;
}

export interface PutOptions {
  condition: WriteCondition;
  timeoutMs: number;
}

export interface UpdateOptions extends PutOptions {
  UpdateExpression: string;
  retries: Retries;
  returnsChanges?: boolean;
}

/** Its names and values are also those of an update. */
export interface WriteCondition {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

export class ConditionFailedError extends Error {
  /** The existing item; empty when there is none. */
  readonly item: Item;

  constructor(item: Item) {
    super('The condition of the write failed');
    this.item = item;
  }
}
