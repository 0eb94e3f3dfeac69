/** Random items and writes. Most are valid for some items. */
import type { ReturnValue } from '@aws-sdk/client-dynamodb';
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb';
import {
  type Changes,
  type Condition,
  conditionExpressions,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { fc } from '#test/support/fast-check.ts';
import type { Expressions } from './placeholders.ts';

/** Few, so that expressions find attributes. */
const plainNames = ['a', 'b'] as const;
const attributeName = fc.constantFrom(...plainNames, 'w#1', 'spent_2026-11');

const rarely = fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.constant(true));

/** Up to 38 digits. Sums of those of different sizes need more. */
const exactNumber = fc
  .record({
    digits: fc.bigInt(-(10n ** 38n) + 1n, 10n ** 38n - 1n),
    exponent: fc.integer({ min: -60, max: 60 }),
  })
  .map(({ digits, exponent }) => NumberValue.from(`${digits}e${exponent}`));
const amount = fc.integer({ min: -300, max: 300 }).map((cents) => NumberValue.from((cents / 100).toFixed(2)));
const number = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 4, arbitrary: amount },
  { weight: 1, arbitrary: exactNumber },
  { weight: 1, arbitrary: fc.constantFrom('9e125', '-9e125', '3e-130').map(NumberValue.from) },
);
const invalidNumber = fc.constantFrom('1e126', '-1e-131', '1'.repeat(39)).map(NumberValue.from);
/** The last two have another order in UTF-16 than in UTF-8. */
const text = fc.constantFrom('', '1', 'a', 'ab', 'abc', 'b', '\u{fffd}', '\u{1f600}');
const scalar = fc.oneof({ weight: 4, arbitrary: number }, { weight: 2, arbitrary: text }, fc.boolean());
const nested = fc.oneof(
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('x', 'y'), scalar),
  // In the order in which both return them.
  fc.constantFrom(new Set(['1']), new Set(['a', 'b']), new Set([1]), new Set([-1, 2, 3])),
  fc.constant(null),
);
const value = fc.oneof({ weight: 8, arbitrary: scalar }, { weight: 1, arbitrary: nested });

/** An item without its key. */
const storedAttributes = fc.dictionary(attributeName, value, { maxKeys: 4 });

/** `null` for an item that does not exist. */
export const storedItem = fc.option(storedAttributes, { freq: 8 });

/** A part of an expression. It may be an operand or a condition. */
type Part = Condition;

function nameOf(attribute: string): Part {
  return (placeholders) => placeholders.name(attribute);
}

function literalOf(operand: unknown): Part {
  return (placeholders) => placeholders.value(operand);
}

function symbol(token: string): Part {
  return () => token;
}

function joined(parts: readonly Part[]): Part {
  return (placeholders) => parts.map((part) => part(placeholders)).join('');
}

/** The texts and parts in this order. */
function sequence(...parts: readonly (string | fc.Arbitrary<Part>)[]): fc.Arbitrary<Part> {
  const arbitraries = parts.map((part) => (typeof part === 'string' ? fc.constant(symbol(part)) : part));
  return fc.tuple(...arbitraries).map(joined);
}

const attribute = fc.oneof(attributeName.map(nameOf), fc.constantFrom(...plainNames).map(symbol));
const literal = fc.oneof({ weight: 60, arbitrary: scalar }, invalidNumber).map(literalOf);
const numberLiteral = fc.oneof({ weight: 20, arbitrary: number }, scalar).map(literalOf);
const textLiteral = fc.oneof({ weight: 20, arbitrary: text }, scalar).map(literalOf);

const compared = fc.oneof(
  { weight: 5, arbitrary: attribute },
  { weight: 5, arbitrary: literal },
  { weight: 1, arbitrary: sequence('size(', attribute, ')') },
);
/** The embedded DynamoDB accepts booleans too. */
const bound = fc.oneof(attribute, fc.oneof({ weight: 4, arbitrary: number }, text).map(literalOf));
const comparator = fc.constantFrom(' = ', ' <> ', ' < ', ' <= ', ' > ', ' >= ').map(symbol);
const comparison = fc.oneof(
  { weight: 4, arbitrary: sequence(compared, comparator, compared) },
  { weight: 2, arbitrary: sequence('attribute_exists(', attribute, ')') },
  { weight: 2, arbitrary: sequence('attribute_not_exists(', attribute, ')') },
  { weight: 1, arbitrary: sequence(compared, ' BETWEEN ', bound, ' AND ', bound) },
  { weight: 1, arbitrary: sequence(compared, ' IN (', compared, ', ', compared, ')') },
  { weight: 1, arbitrary: sequence('contains(', attribute, ', ', literal, ')') },
  { weight: 1, arbitrary: sequence('begins_with(', attribute, ', ', textLiteral, ')') },
);
const { condition } = fc.letrec<{ condition: Part }>((tie) => {
  const inner = tie('condition');
  return {
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      comparison,
      sequence('NOT ', inner),
      sequence(inner, ' AND ', inner),
      sequence(inner, ' OR ', inner),
      sequence('(', inner, ' OR ', inner, ')'),
      sequence('NOT (', inner, ' AND ', inner, ')'),
    ),
  };
});

const { assigned } = fc.letrec<{ assigned: Part }>((tie) => ({
  assigned: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    numberLiteral,
    attribute,
    sequence('if_not_exists(', attribute, ', ', tie('assigned'), ')'),
  ),
}));
const assignment = fc.oneof(
  { weight: 1, arbitrary: value.map(literalOf) },
  { weight: 1, arbitrary: literal },
  { weight: 2, arbitrary: assigned },
  { weight: 2, arbitrary: sequence(assigned, ' + ', assigned) },
  { weight: 2, arbitrary: sequence(assigned, ' - ', assigned) },
);
const addition = fc.oneof({ weight: 20, arbitrary: number }, text);

const changes = fc
  .record({
    set: fc.dictionary(attributeName, assignment, { maxKeys: 3 }),
    add: fc.dictionary(attributeName, addition, { maxKeys: 2 }),
    remove: fc.uniqueArray(attributeName, { maxLength: 2 }),
    // Then DynamoDB rejects an update that changes an attribute twice.
    mayOverlap: rarely,
  })
  .map(({ set, add, remove, mayOverlap }): Changes => {
    if (mayOverlap) return { set, add, remove };
    const added = Object.entries(add).filter(([name]) => !(name in set));
    const removed = remove.filter((name) => !(name in set || name in add));
    return { set, add: Object.fromEntries(added), remove: removed };
  });

/** Mistakes in placeholders, which DynamoDB rejects. */
const mistakes: ((expressions: Expressions) => Expressions)[] = [
  ({ ExpressionAttributeValues: values }) => ({ ExpressionAttributeValues: { ...values, ':unused': 1 } }),
  ({ ExpressionAttributeNames: paths }) => ({ ExpressionAttributeNames: { ...paths, '#unused': 'a' } }),
  () => ({ ConditionExpression: 'a = :undefined' }),
  () => ({ ConditionExpression: 'attribute_exists(#undefined)' }),
];
const mistake = fc.oneof({ weight: 15, arbitrary: fc.constant(() => ({})) }, fc.constantFrom(...mistakes));

/** Members of the input of an update. */
const updateInput = fc
  .record({ changes, conditions: fc.array(condition, { maxLength: 1 }), addMistake: mistake })
  .map(({ changes, conditions, addMistake }): Expressions => {
    const { UpdateExpression, ...others } = updateExpressions(changes, ...conditions);
    // DynamoDB rejects an empty expression. Without any, the embedded one ignores values that are not used.
    if (UpdateExpression === '') return others;
    const expressions = { UpdateExpression, ...others };
    return { ...expressions, ...addMistake(expressions) };
  });

/** Members of the input of a put or a delete. */
const conditionInput = condition.map((required): Expressions => conditionExpressions(required));

export interface RandomWrite extends Expressions {
  operation: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  /** The attributes of a put, without the key. */
  attributes?: Item;
  /** A transaction returns no values. */
  ReturnValues?: ReturnValue;
}

const update: fc.Arbitrary<RandomWrite> = fc
  .tuple(
    updateInput,
    fc.constantFrom<ReturnValue>('NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'),
  )
  .map(([input, ReturnValues]) => ({ operation: 'Update', ReturnValues, ...input }));
const put: fc.Arbitrary<RandomWrite> = fc
  .tuple(storedAttributes, conditionInput)
  .map(([attributes, input]) => ({ operation: 'Put', attributes, ReturnValues: 'ALL_OLD', ...input }));
const deletion: fc.Arbitrary<RandomWrite> = conditionInput.map((input) => ({
  operation: 'Delete',
  ReturnValues: 'ALL_OLD',
  ...input,
}));
const conditionCheck: fc.Arbitrary<RandomWrite> = conditionInput.map((input) => ({
  operation: 'ConditionCheck',
  ...input,
}));

export const singleWrite = fc.oneof({ weight: 4, arbitrary: update }, put, deletion);
export const transactionWrite = fc.oneof({ weight: 3, arbitrary: singleWrite }, conditionCheck);
