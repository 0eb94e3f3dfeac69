import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nullIfConditionFails } from '#lambdas/platform/dynamodb/conflicts.ts';
import {
  allOf,
  anyOf,
  type Changes,
  type Condition,
  compares,
  comparesIfExists,
  conditionExpressions,
  equals,
  exists,
  ifNotExists,
  increased,
  notExists,
  unchanged,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { character, fc } from '#test/support/fast-check.ts';

describe('updateExpressions', () => {
  it('returns the members of a command, with a placeholder for each name and value', () => {
    const changes = {
      set: { size: 3, created: ifNotExists('now'), room: increased(-3, { from: 'limit' }) },
      add: { changes: 1 },
      remove: ['lock', ['discards', 0]],
    } satisfies Changes;

    expect(updateExpressions(changes, exists('pk'), comparesIfExists('size', '<', 3))).toEqual({
      UpdateExpression:
        'SET #n0 = :v0, #n1 = if_not_exists(#n1, :v1), #n2 = if_not_exists(#n2, #n3) + :v2 ADD #n4 :v3 REMOVE #n5, #n6[0]',
      ConditionExpression: 'attribute_exists(#n7) AND (attribute_not_exists(#n0) OR #n0 < :v0)',
      ExpressionAttributeNames: {
        '#n0': 'size',
        '#n1': 'created',
        '#n2': 'room',
        '#n3': 'limit',
        '#n4': 'changes',
        '#n5': 'lock',
        '#n6': 'discards',
        '#n7': 'pk',
      },
      ExpressionAttributeValues: { ':v0': 3, ':v1': 'now', ':v2': -3, ':v3': 1 },
    });
  });

  it('leaves out what is empty', () => {
    expect(updateExpressions({ remove: ['lock'] })).toEqual({
      UpdateExpression: 'REMOVE #n0',
      ExpressionAttributeNames: { '#n0': 'lock' },
    });
    expect(updateExpressions({ set: {}, add: {}, remove: [] })).toEqual({ UpdateExpression: '' });
  });
});

it('returns conditions alone for other commands', () => {
  const condition = anyOf(notExists('lock'), allOf(equals(['lock', 'run'], 'a'), compares('count', '>', 1)));

  expect(conditionExpressions(condition, ...unchanged({ name: 'b', deleted_at: undefined }))).toEqual({
    ConditionExpression:
      '(attribute_not_exists(#n0) OR (#n0.#n1 = :v0 AND #n2 > :v1)) AND #n3 = :v2 AND attribute_not_exists(#n4)',
    ExpressionAttributeNames: {
      '#n0': 'lock',
      '#n1': 'run',
      '#n2': 'count',
      '#n3': 'name',
      '#n4': 'deleted_at',
    },
    ExpressionAttributeValues: { ':v0': 'a', ':v1': 1, ':v2': 'b' },
  });
});

/** DynamoDB limits names of attributes to 255 bytes in expressions. Keys of the table are never updated. */
const attributeName = fc.oneof(
  fc.constantFrom('name', 'size', 'a-b', 'a#b', 'a_b', 'w#1-f', '#n0', ':v0', 'a.b', 'a[0]'),
  fc.string({ unit: character, minLength: 1, maxLength: 20 }),
);
const value = fc.oneof(fc.integer(), fc.string({ minLength: 1 }), fc.constantFrom(0, 1, 'a'));
const assignments = fc.dictionary(attributeName, value, { maxKeys: 5 });
const conditions = fc.array(
  fc.oneof(
    fc.tuple(attributeName, value).map(([name, operand]) => equals(name, operand)),
    fc.tuple(attributeName, value).map(([name, operand]) => comparesIfExists(name, '>=', operand)),
    attributeName.map(exists),
    attributeName.map(notExists),
  ),
  { maxLength: 5 },
);

/** DynamoDB rejects updates of one attribute by two clauses. */
const changes = fc
  .record({ values: assignments, kept: assignments, added: fc.dictionary(attributeName, fc.integer()) })
  .map(({ values, kept, added }) => {
    const set: Item = { ...values };
    for (const name in kept) set[name] = ifNotExists(kept[name]);
    const names = Object.keys(added).filter((name) => !(name in set));
    const remove = names.filter((_, index) => index % 2 === 0);
    const add = Object.fromEntries(
      names.filter((_, index) => index % 2 === 1).map((name) => [name, added[name]]),
    );
    return { set, add, remove };
  });

it('uses each name and value that it returns, and returns each placeholder that it uses', () => {
  fc.assert(
    fc.property(changes, conditions, (change, required) => {
      const expressions = updateExpressions(change, ...required);
      const { UpdateExpression, ConditionExpression = '' } = expressions;
      const { ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = expressions;
      const used = `${UpdateExpression} ${ConditionExpression}`.match(/[#:]\w+/g) ?? [];

      const returned = [...Object.keys(ExpressionAttributeNames), ...Object.keys(ExpressionAttributeValues)];
      expect([...new Set(used)].sort()).toEqual(returned.sort());
      const names = Object.values(ExpressionAttributeNames);
      expect(new Set(names).size).toBe(names.length);
    }),
  );
});

describe('DynamoDB', () => {
  let database: EmbeddedDynamoDB;
  let TableName: string;
  beforeAll(async () => {
    database = await startEmbeddedDynamoDB();
    TableName = (await createTables(database)).directory;
  });
  afterAll(() => database.stop());

  let keys = 0;
  const newKey = () => ({ pk: `item-${keys++}`, sk: 'a' });

  async function read(Key: Item): Promise<Item | undefined> {
    const { Item } = await database.documentClient.send(new GetCommand({ TableName, Key }));
    return Item;
  }

  /** Resolves to the item after the update; `null` if the condition fails. */
  async function update(stored: Item, change: Changes, ...required: Condition[]): Promise<Item | null> {
    const Key = newKey();
    await database.documentClient.send(new PutCommand({ TableName, Item: { ...stored, ...Key } }));
    const input = {
      TableName,
      Key,
      ...updateExpressions(change, ...required),
      ReturnValues: 'ALL_NEW' as const,
    };
    const output = await nullIfConditionFails(database.documentClient.send(new UpdateCommand(input)));
    if (output === null) return null;
    const { pk: _, sk: __, ...attributes } = output.Attributes ?? {};
    return attributes;
  }

  it('accepts every name of an attribute', async () => {
    await fc.assert(
      fc.asyncProperty(assignments, assignments, async (stored, set) => {
        fc.pre(
          Object.keys(set).length > 0 && !('pk' in set || 'sk' in set || 'pk' in stored || 'sk' in stored),
        );

        expect(await update(stored, { set }, ...unchanged(stored))).toEqual({ ...stored, ...set });
        expect(await update({}, { set }, ...unchanged(stored))).toEqual(
          Object.keys(stored).length === 0 ? set : null,
        );
      }),
    );
  });

  it('distinguishes names that differ only in special characters', async () => {
    const stored = { 'a-b': 1, 'a#b': 2, a_b: 3, 'a.b': 4 };

    expect(
      await update(stored, { set: { 'a-b': 5 }, add: { 'a#b': 10 }, remove: ['a.b'] }, equals('a_b', 3)),
    ).toEqual({ 'a-b': 5, 'a#b': 12, a_b: 3 });
  });

  it.each<[string, Item, Condition, boolean]>([
    ['an attribute exists', { a: 1 }, exists('a'), true],
    ['no attribute exists', {}, exists('a'), false],
    ['an attribute exists that must not', { a: 1 }, notExists('a'), false],
    ['a value is equal', { a: 'x' }, equals('a', 'x'), true],
    ['a value is missing', {}, equals('a', 'x'), false],
    ['a value is as great', { a: 2 }, compares('a', '>=', 2), true],
    ['a value is less', { a: 1 }, compares('a', '>=', 2), false],
    ['a compared value is missing', {}, compares('a', '<', 2), false],
    ['a value is missing that may be', {}, comparesIfExists('a', '<', 2), true],
    ['a value is less that may be missing', { a: 1 }, comparesIfExists('a', '<', 2), true],
    ['a value is too great that may be missing', { a: 2 }, comparesIfExists('a', '<', 2), false],
    ['the value in a map is equal', { a: { list: [{ b: 1 }] } }, equals(['a', 'list', 0, 'b'], 1), true],
    ['the value in a map differs', { a: { list: [{ b: 2 }] } }, equals(['a', 'list', 0, 'b'], 1), false],
    ['one of several is true', { b: 1 }, anyOf(exists('a'), allOf(exists('b'), notExists('c'))), true],
    [
      'none of several is true',
      { b: 1, c: 1 },
      anyOf(exists('a'), allOf(exists('b'), notExists('c'))),
      false,
    ],
  ])('decides whether to update: %s', async (_, stored, condition, isUpdated) => {
    const updated = await update(stored, { set: { done: true } }, condition);

    expect(updated).toEqual(isUpdated ? { ...stored, done: true } : null);
  });

  it('computes values from stored ones', async () => {
    const change = {
      set: { since: ifNotExists('now'), room: increased(-1, { from: 'limit' }) },
      add: { changes: 2 },
      remove: ['lock'],
    };

    expect(await update({ limit: 10, lock: 'x' }, change)).toEqual({
      since: 'now',
      room: 9,
      limit: 10,
      changes: 2,
    });
    expect(await update({ since: 'before', limit: 10, room: 4, changes: 1 }, change)).toEqual({
      since: 'before',
      room: 3,
      limit: 10,
      changes: 3,
    });
  });

  it('changes values within maps and lists', async () => {
    const stored = { rebuild: { copied: null, generation: 2 }, discards: ['a', 'b'] };
    const set = new Map([[['rebuild', 'copied'] as const, 'x']]);

    expect(
      await update(stored, { set, remove: [['discards', 0]] }, equals(['rebuild', 'generation'], 2)),
    ).toEqual({
      rebuild: { copied: 'x', generation: 2 },
      discards: ['b'],
    });
  });

  it('decides about other writes by conditions alone', async () => {
    const Item = { ...newKey(), revision: 1 };
    const { pk, sk } = Item;
    const put = (...required: readonly [Condition, ...Condition[]]) =>
      new PutCommand({ TableName, Item, ...conditionExpressions(...required) });

    await database.documentClient.send(put(notExists('pk')));
    expect(await nullIfConditionFails(database.documentClient.send(put(notExists('pk'))))).toBeNull();
    await database.documentClient.send(put(equals('revision', 1)));
    const removal = { TableName, Key: { pk, sk }, ...conditionExpressions(equals('revision', 1)) };
    await database.documentClient.send(new DeleteCommand(removal));

    expect(await read({ pk, sk })).toBeUndefined();
  });
});
