/** Reads and writes several items at once with DynamoDB's JSON protocol. */
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '../aws/errors.ts';
import type { JsonService } from '../aws/json-client.ts';
import { chunksOf } from '../concurrency.ts';
import { filterObjects, type JsonObject, objectOrEmpty } from '../json/json.ts';
import { attributesJson, fromAttributes } from './attributes.ts';
import type { Item } from './table.ts';

/** Each rejects with a `ServiceError`. `timeoutMs` limits a call. */
interface TableBatches {
  /** Returns the items that exist, in any order. Strongly consistent. The keys must be distinct. */
  get(tableName: string, keys: readonly Item[], timeoutMs: number): Promise<Item[]>;
  /** Replaces existing items. Their keys must be distinct. After an error, some of the items may have been written. */
  put(tableName: string, items: readonly Item[], timeoutMs: number): Promise<void>;
}

/**
 * The limits of https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html and
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
 */
const maxReads = 100;
const maxWrites = 25;

const maxAttempts = 5;
const maxRetryDelayMs = 50;

export function createJsonTableBatches(dynamodb: JsonService): TableBatches {
  return {
    async get(tableName, keys, timeoutMs) {
      const table = JSON.stringify(tableName);
      const items: Item[] = [];
      await forEachBatch(keys.map(attributesJson), maxReads, async (batch) => {
        const input = `{"RequestItems":{${table}:{"Keys":[${batch.join()}],"ConsistentRead":true}}}`;
        const { Responses, UnprocessedKeys } = await dynamodb.call('BatchGetItem', input, timeoutMs);
        items.push(...ofTable(Responses, tableName).map(fromAttributes));
        return filterObjects(objectOrEmpty(objectOrEmpty(UnprocessedKeys)[tableName]).Keys);
      });
      return items;
    },
    async put(tableName, items, timeoutMs) {
      const table = JSON.stringify(tableName);
      const puts = items.map((item) => `{"PutRequest":{"Item":${attributesJson(item)}}}`);
      await forEachBatch(puts, maxWrites, async (batch) => {
        const input = `{"RequestItems":{${table}:[${batch.join()}]}}`;
        const { UnprocessedItems } = await dynamodb.call('BatchWriteItem', input, timeoutMs);
        return ofTable(UnprocessedItems, tableName);
      });
    },
  };
}

function ofTable(byTable: unknown, tableName: string): JsonObject[] {
  return filterObjects(objectOrEmpty(byTable)[tableName]);
}

/** Repeats what `process` returns: DynamoDB leaves it out because of its limits. */
async function forEachBatch(
  values: readonly string[],
  size: number,
  process: (batch: readonly string[]) => Promise<readonly JsonObject[]>,
): Promise<void> {
  const processAll = async (batch: readonly string[]): Promise<void> => {
    let remaining = batch;
    for (let attempt = 1; remaining.length > 0; attempt++) {
      if (attempt > maxAttempts) throw new ServiceError('ThrottlingException', { status: 400 });
      if (attempt > 1) await wait(Math.random() * maxRetryDelayMs);
      remaining = (await process(remaining)).map((value) => JSON.stringify(value));
    }
  };
  await Promise.all(chunksOf(values, size).map(processAll));
}
