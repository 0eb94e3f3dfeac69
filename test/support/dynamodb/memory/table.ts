/**
 * A DynamoDB table with a partition key alone, in memory. It evaluates the expressions that the product sends, as far as they
 * read and change whole attributes. It does not know DynamoDB's reserved words and limits of sizes.
 */
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { checkCondition, isTrue } from './condition.ts';
import { parseCondition, parseUpdate } from './parse.ts';
import { type Expressions, resolvePlaceholders } from './placeholders.ts';
import { applyUpdate, checkUpdate } from './update.ts';
import { type Attributes, sortedEntries, toAttributes, ValidationError } from './values.ts';

/** All items by their keys. Never changed, so that a snapshot is not a copy. */
type TableState = ReadonlyMap<string, Attributes>;

export interface Write extends Expressions {
  operation: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  /** The whole item of a put, otherwise the key. */
  target: Item;
}

/** The effect of a write, or the reason why it has none. */
export interface Outcome {
  key: string;
  before: Attributes | undefined;
  /** As before if the write has failed. */
  after: Attributes | undefined;
  /** The attributes that an update sets or removes. */
  updatedNames: readonly string[];
  failure: 'condition' | ValidationError | null;
}

export interface MemoryTable {
  name: string;
  find(key: Item): Attributes | undefined;
  /** Does not change the table. Throws a `ValidationError` for what DynamoDB rejects without reading the item. */
  evaluate(write: Write): Outcome;
  apply(outcomes: readonly Outcome[]): void;
  snapshot(): TableState;
  restore(state: TableState): void;
}

export function createMemoryTable(name: string, partitionKey: string): MemoryTable {
  let state: TableState = new Map();

  function keyOf({ [partitionKey]: value, ...others }: Attributes, isWholeItem: boolean): string {
    if (value?.S === undefined || !(isWholeItem || Object.keys(others).length === 0)) {
      throw new ValidationError('The key does not match the schema');
    }
    return value.S;
  }

  return {
    name,
    find: (key) => state.get(keyOf(toAttributes(key), false)),
    evaluate({ operation, target, ...expressions }) {
      const attributes = toAttributes(target);
      const key = keyOf(attributes, operation === 'Put');
      const { updatedNames, isAllowed, update } = prepare(expressions);
      if (updatedNames.includes(partitionKey)) throw new ValidationError('The key cannot be updated');
      const before = state.get(key);
      const outcome = { key, before, after: before, updatedNames, failure: null };
      if (!isAllowed(before ?? {})) return { ...outcome, failure: 'condition' };
      switch (operation) {
        case 'Put':
          return { ...outcome, after: attributes };
        case 'Update':
          try {
            return { ...outcome, after: update(before ?? attributes) };
          } catch (error) {
            if (!(error instanceof ValidationError)) throw error;
            return { ...outcome, failure: error };
          }
        case 'Delete':
          return { ...outcome, after: undefined };
        case 'ConditionCheck':
          return outcome;
        default:
          return operation satisfies never;
      }
    },
    apply(outcomes) {
      const changed = new Map(state);
      for (const { key, after } of outcomes) {
        if (after === undefined) changed.delete(key);
        else changed.set(key, after);
      }
      state = changed;
    },
    snapshot: () => state,
    restore: (restored) => {
      state = restored;
    },
  };
}

function prepare({ UpdateExpression, ConditionExpression, ...definitions }: Expressions) {
  const update = UpdateExpression === undefined ? null : parseUpdate(UpdateExpression);
  const condition = ConditionExpression === undefined ? null : parseCondition(ConditionExpression);
  const placeholders = resolvePlaceholders(definitions, [update, condition]);
  if (condition !== null) checkCondition(condition.expression, placeholders);
  return {
    updatedNames: update === null ? [] : checkUpdate(update.expression, placeholders),
    isAllowed: (item: Attributes) => condition === null || isTrue(condition.expression, item, placeholders),
    update: (item: Attributes) =>
      update === null ? item : applyUpdate(update.expression, item, placeholders),
  };
}

/** Equal states have equal texts, whatever the order of their items and attributes. */
export function stateText(state: TableState): string {
  return sortedEntries(Object.fromEntries(state))
    .map(([key, item]) => `${JSON.stringify(key)}:${itemText(item)}`)
    .join('\n');
}

const itemTexts = new WeakMap<Attributes, string>();

function itemText(item: Attributes): string {
  const known = itemTexts.get(item);
  if (known !== undefined) return known;
  const text = JSON.stringify(sortedEntries(item));
  itemTexts.set(item, text);
  return text;
}
