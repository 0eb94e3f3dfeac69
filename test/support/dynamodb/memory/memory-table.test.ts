import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '#lambdas/platform/aws/errors.ts';
import { ConditionFailedError, type Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { type RandomWrite, singleWrite, storedItem, transactionWrite } from './arbitraries.ts';
import { createMemoryClient, createMemoryTableCalls } from './client.ts';
import { createMemoryTable, stateText } from './table.ts';

const numRuns = byTestForm({ short: 300, long: 20_000 });

let database: EmbeddedDynamoDB;
let TableName: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  TableName = (await createTable(database.client, 'Memory', { key: ['id'] })).name;
});
afterAll(() => database.stop());

interface Case {
  keys: readonly string[];
  /** By the index of the key; `null` for one that does not exist. */
  stored: readonly (Item | null)[];
  command: object;
}

interface Result {
  attributes?: Item;
  error?: string;
  /** The stored item, after a failed condition. */
  item?: object;
  reasons?: object[];
}

/** The output or the error, and the items afterwards. */
async function resultWith(client: DynamoDBDocumentClient, { keys, stored, command }: Case) {
  for (const [index, item] of stored.entries()) {
    if (item === null) continue;
    await client.send(new PutCommand({ TableName, Item: { ...item, id: keys[index] } }));
  }
  const result = await resultOf(client.send(command as never));
  const reads = keys.map((id) => client.send(new GetCommand({ TableName, Key: { id } })));
  return { ...result, items: (await Promise.all(reads)).map(({ Item }) => Item) };
}

async function resultOf(output: Promise<object>): Promise<Result> {
  try {
    const { Attributes }: { Attributes?: Item } = await output;
    return { attributes: Attributes };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { error: error.name, item: error.Item };
    if (!(error instanceof TransactionCanceledException)) return { error: (error as Error).name };
    const reasons = error.CancellationReasons?.map(({ Code, Item }) => ({ Code, Item }));
    return { error: error.name, reasons };
  }
}

async function resultsOf(compared: Case) {
  const memory = createMemoryClient(createMemoryTable(TableName, 'id'));
  return {
    memory: await resultWith(memory, compared),
    embedded: await resultWith(database.documentClient, compared),
  };
}

let keyCount = 0;
const newKey = () => `item-${++keyCount}`;

function inputOf({ operation, attributes, ReturnValues: _, ...expressions }: RandomWrite, id: string) {
  const target = operation === 'Put' ? { Item: { ...attributes, id } } : { Key: { id } };
  return { TableName, ...target, ...expressions, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
}

function commandOf(write: RandomWrite, id: string): object {
  const input = { ...inputOf(write, id), ReturnValues: write.ReturnValues };
  switch (write.operation) {
    case 'Put':
      return new PutCommand({ Item: undefined, ...input });
    case 'Update':
      return new UpdateCommand({ Key: undefined, ...input });
    case 'Delete':
      return new DeleteCommand({ Key: undefined, ...input });
    case 'ConditionCheck':
      throw new Error('Only a transaction has condition checks');
    default:
      return write.operation satisfies never;
  }
}

it('has the same outputs, errors and items as the embedded DynamoDB', async () => {
  await fc.assert(
    fc.asyncProperty(storedItem, singleWrite, async (stored, write) => {
      // The embedded one returns the key of an item that did not exist.
      fc.pre(stored !== null || write.ReturnValues !== 'ALL_OLD');
      const key = newKey();

      const { memory, embedded } = await resultsOf({
        keys: [key],
        stored: [stored],
        command: commandOf(write, key),
      });

      expect(memory).toEqual(embedded);
    }),
    { numRuns },
  );
});

it('orders strings by their bytes in UTF-8, like the embedded DynamoDB', async () => {
  const key = newKey();

  const { memory, embedded } = await resultsOf({
    keys: [key],
    stored: [{ last: '\u{1f600}' }],
    command: new DeleteCommand({
      TableName,
      Key: { id: key },
      ConditionExpression: '#last > :text',
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: { ':text': '\u{fffd}' },
    }),
  });

  expect(memory.items).toEqual([undefined]);
  expect(memory).toEqual(embedded);
});

it('applies all writes of a transaction or none, like the embedded DynamoDB', async () => {
  const writesWithItems = fc.array(fc.tuple(storedItem, transactionWrite), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(writesWithItems, async (writes) => {
      const keys = writes.map(newKey);
      const TransactItems = writes.map(
        ([, write], index) => ({ [write.operation]: inputOf(write, keys[index] ?? '') }) as TransactItem,
      );

      const { memory, embedded } = await resultsOf({
        keys,
        stored: writes.map(([stored]) => stored),
        command: new TransactWriteCommand({ TransactItems }),
      });

      // DynamoDB rejects the whole request, but the embedded one only if it reads the operand.
      fc.pre(memory.error !== 'ValidationException');
      expect(memory).toEqual(embedded);
    }),
    { numRuns: numRuns / 3 },
  );
});

describe('A table in memory', () => {
  const key = { id: 'a' };
  const put = (attributes: Item) => new PutCommand({ TableName: 'Memory', Item: { ...key, ...attributes } });
  const table = () => createMemoryTable('Memory', 'id');

  it('returns to the state of a snapshot', async () => {
    const memory = table();
    const client = createMemoryClient(memory);
    await client.send(put({ amount: 1 }));
    const snapshot = memory.snapshot();
    await client.send(put({ amount: 2 }));
    const changed = memory.snapshot();

    memory.restore(snapshot);

    expect(memory.find(key)).toEqual({ id: { S: 'a' }, amount: { N: '1' } });
    expect(changed.get('a')).toEqual({ id: { S: 'a' }, amount: { N: '2' } });
  });

  it('has the same text for equal states', async () => {
    const [one, other] = [table(), table()];
    await createMemoryClient(one).send(put({ first: NumberValue.from('1.50'), second: 'x' }));
    await createMemoryClient(other).send(put({ second: 'x', first: NumberValue.from('15e-1') }));

    expect(stateText(one.snapshot())).toBe(
      '"a":[["first",{"N":"1.5"}],["id",{"S":"a"}],["second",{"S":"x"}]]',
    );
    expect(stateText(other.snapshot())).toBe(stateText(one.snapshot()));
    await createMemoryClient(other).send(put({ first: 1, second: 'x' }));
    expect(stateText(other.snapshot())).not.toBe(stateText(one.snapshot()));
  });

  it('rejects updates like the client of chat requests', async () => {
    const memory = table();
    await createMemoryClient(memory).send(put({ amount: 1 }));
    const update = (UpdateExpression: string, ConditionExpression: string) =>
      createMemoryTableCalls(memory)
        .update('Memory', key, {
          UpdateExpression,
          condition: { ConditionExpression, ExpressionAttributeValues: { ':one': 1 } },
          timeoutMs: 1000,
          retries: 'any',
        })
        .catch((error) => error);

    expect(await update('SET amount = amount + :one', 'amount = :one')).toEqual({});
    const refused = await update('SET amount = amount + :one', 'amount = :one');
    expect(refused).toBeInstanceOf(ConditionFailedError);
    expect(refused.item).toEqual({ id: 'a', amount: 2 });
    const invalid = await update('SET amount = missing + :one', 'amount > :one');
    expect(invalid).toBeInstanceOf(ServiceError);
    expect(invalid.name).toBe('ValidationException');
    expect(memory.find(key)?.amount).toEqual({ N: '2' });
  });

  it('reads several items that exist', async () => {
    const memory = table();
    await createMemoryClient(memory).send(put({ amount: 1 }));
    const RequestItems = { Memory: { Keys: [{ id: 'b' }, key], ConsistentRead: true } };

    const { Responses } = await createMemoryClient(memory).send(new BatchGetCommand({ RequestItems }));

    expect(Responses).toEqual({ Memory: [{ id: 'a', amount: 1 }] });
  });

  it.each([
    ['SET lock.id = :one', '"."'],
    ['REMOVE discards[0]', '"["'],
    ['SET list = list_append(list, :one)', '"list_append"'],
    ['DELETE tags :one', '"DELETE"'],
    ['SET a = :one SET b = :one', '"SET"'],
  ])('does not support %s', async (UpdateExpression, token) => {
    const ExpressionAttributeValues = { ':one': 1 };
    const update = { TableName: 'Memory', Key: key, UpdateExpression, ExpressionAttributeValues };

    await expect(createMemoryClient(table()).send(new UpdateCommand(update))).rejects.toThrow(
      `${token} is invalid or not supported in the expression: ${UpdateExpression}`,
    );
  });
});
