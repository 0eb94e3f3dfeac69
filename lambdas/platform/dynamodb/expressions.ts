/**
 * Builds the expressions of DynamoDB writes, without the AWS SDK. Names and values get numbered placeholders, so attributes may
 * have any name, also that of a reserved word.
 *
 * All writes use it except for two kinds of constant expressions: `attribute_not_exists(…)` alone, and those of every chat
 * request, which must load and allocate little.
 */
import type { Item, WriteCondition } from './table.ts';

/** The name of an attribute, or the path to a value in it, such as `['discards', 0, 'generation']`. */
type AttributePath = string | readonly [string, ...(string | number)[]];

interface Placeholders {
  name(path: AttributePath): string;
  value(value: unknown): string;
}

export type Condition = (placeholders: Placeholders) => string;

/** Computes the value of the attribute at the path. */
export type Operand = (placeholders: Placeholders, path: AttributePath) => string;

export interface Changes {
  /** Values and operands. */
  set?: Item | Map<AttributePath, unknown>;
  add?: Item;
  remove?: readonly AttributePath[];
}

/** Members of a command's input. */
export interface UpdateExpressions extends Partial<WriteCondition> {
  /** Empty if nothing changes, which DynamoDB rejects. */
  UpdateExpression: string;
}

export type ConditionalUpdate = UpdateExpressions & WriteCondition;

/** All conditions must be true. */
export function updateExpressions(
  changes: Changes,
  ...conditions: readonly [Condition, ...Condition[]]
): ConditionalUpdate;
export function updateExpressions(changes: Changes, ...conditions: readonly Condition[]): UpdateExpressions;
export function updateExpressions(
  { set = {}, add = {}, remove = [] }: Changes,
  ...conditions: readonly Condition[]
): UpdateExpressions {
  const placeholders = createPlaceholders();
  const { name, value } = placeholders;
  const assignments = [...(set instanceof Map ? set : Object.entries(set))].map(
    ([path, operand]) =>
      `${name(path)} = ${isOperand(operand) ? operand(placeholders, path) : value(operand)}`,
  );
  const additions = Object.entries(add).map(([path, amount]) => `${name(path)} ${value(amount)}`);
  const clauses = [clause('SET', assignments), clause('ADD', additions), clause('REMOVE', remove.map(name))];
  return {
    UpdateExpression: clauses.filter((text) => text !== '').join(' '),
    ...(conditions.length > 0 && { ConditionExpression: join(conditions, ' AND ')(placeholders) }),
    ...placeholders.members(),
  };
}

/** Members of the input of a command without changes. All conditions must be true. */
export function conditionExpressions(...conditions: readonly [Condition, ...Condition[]]): WriteCondition {
  const placeholders = createPlaceholders();
  const ConditionExpression = join(conditions, ' AND ')(placeholders);
  return { ConditionExpression, ...placeholders.members() };
}

export function exists(path: AttributePath): Condition {
  return ({ name }) => `attribute_exists(${name(path)})`;
}

export function notExists(path: AttributePath): Condition {
  return ({ name }) => `attribute_not_exists(${name(path)})`;
}

type Comparator = '=' | '<' | '<=' | '>' | '>=';

/** False if the attribute does not exist. */
export function compares(path: AttributePath, comparator: Comparator, operand: unknown): Condition {
  return ({ name, value }) => `${name(path)} ${comparator} ${value(operand)}`;
}

export function equals(path: AttributePath, value: unknown): Condition {
  return compares(path, '=', value);
}

/** True if the attribute does not exist. */
export function comparesIfExists(path: AttributePath, comparator: Comparator, operand: unknown): Condition {
  return anyOf(notExists(path), compares(path, comparator, operand));
}

/** The attributes have these values; `undefined` stands for one that does not exist. */
export function unchanged(attributes: Item): Condition[] {
  return Object.entries(attributes).map(([name, value]) => unchangedValue(name, value));
}

export function unchangedValue(path: AttributePath, value: unknown): Condition {
  return value === undefined ? notExists(path) : equals(path, value);
}

export function anyOf(...conditions: readonly Condition[]): Condition {
  return (placeholders) => `(${join(conditions, ' OR ')(placeholders)})`;
}

export function allOf(...conditions: readonly Condition[]): Condition {
  return (placeholders) => `(${join(conditions, ' AND ')(placeholders)})`;
}

/** Keeps the value of an attribute that exists. */
export function ifNotExists(initial: unknown): Operand {
  return ({ name, value }, path) => `if_not_exists(${name(path)}, ${value(initial)})`;
}

/** The attribute starts with the value of another one. */
export function increased(amount: unknown, { from }: { from: AttributePath }): Operand {
  return ({ name, value }, path) => `if_not_exists(${name(path)}, ${name(from)}) + ${value(amount)}`;
}

/** No value of an attribute is a function. */
function isOperand(value: unknown): value is Operand {
  return typeof value === 'function';
}

function clause(keyword: string, actions: readonly string[]): string {
  return actions.length === 0 ? '' : `${keyword} ${actions.join(', ')}`;
}

function join(conditions: readonly Condition[], operator: string): Condition {
  return (placeholders) => conditions.map((condition) => condition(placeholders)).join(operator);
}

function createPlaceholders() {
  const names = createNumbering<string>('#n');
  const values = createNumbering<unknown>(':v');
  const placeholders: Placeholders = {
    name: (path) =>
      typeof path === 'string'
        ? names.placeholderOf(path)
        : path
            .map((part) => (typeof part === 'number' ? `[${part}]` : `.${names.placeholderOf(part)}`))
            .join('')
            .slice(1),
    value: values.placeholderOf,
  };
  return {
    ...placeholders,
    /** DynamoDB rejects empty ones. */
    members: () => ({
      ...(names.size() > 0 && { ExpressionAttributeNames: names.toObject() }),
      ...(values.size() > 0 && { ExpressionAttributeValues: values.toObject() }),
    }),
  };
}

/** Equal names and values have the same placeholder. */
function createNumbering<Value>(prefix: string) {
  const numbered: Value[] = [];
  return {
    placeholderOf(value: Value): string {
      const index = numbered.indexOf(value);
      return `${prefix}${index === -1 ? numbered.push(value) - 1 : index}`;
    },
    size: () => numbered.length,
    toObject: () => Object.fromEntries(numbered.map((value, index) => [`${prefix}${index}`, value])),
  };
}
