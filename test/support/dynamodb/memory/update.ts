/** Evaluates updates. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { AssignedOperand, Update } from './parse.ts';
import { literalOf, type Placeholders } from './placeholders.ts';
import { type Attributes, addNumbers, ValidationError } from './values.ts';

/** Throws a `ValidationError` for what DynamoDB rejects without reading the item. Returns the names of the changed attributes. */
export function checkUpdate({ set, add, remove }: Update, placeholders: Placeholders): string[] {
  for (const { left, arithmetic } of set) {
    if (arithmetic === null) continue;
    for (const operand of [left, arithmetic.right]) {
      const literal = literalOf(operand, placeholders);
      if (literal !== undefined) numberOf(literal);
    }
  }
  for (const { placeholder } of add) {
    const value = placeholders.valueFor(placeholder);
    if (value.SS ?? value.NS) throw new Error('The addition of sets is not supported');
    numberOf(value);
  }
  const names = [...set, ...add, ...remove].map(({ path }) => placeholders.nameOf(path));
  if (new Set(names).size < names.length) throw new ValidationError('An attribute is changed twice');
  return names;
}

/** Throws a `ValidationError` for an operand that does not exist or has the wrong type. */
export function applyUpdate(
  { set, add, remove }: Update,
  item: Attributes,
  { nameOf, valueFor }: Placeholders,
): Attributes {
  const changed = { ...item };
  // All operands are values before the update.
  const find = (operand: AssignedOperand): AttributeValue => {
    switch (operand.kind) {
      case 'attribute':
        return existing(item[nameOf(operand.path)]);
      case 'value':
        return valueFor(operand.placeholder);
      case 'if_not_exists':
        return item[nameOf(operand.path)] ?? find(operand.otherwise);
      default:
        return operand satisfies never;
    }
  };
  for (const { path, left, arithmetic } of set) {
    const value = find(left);
    changed[nameOf(path)] =
      arithmetic === null
        ? value
        : { N: addNumbers(numberOf(value), arithmetic.operator, numberOf(find(arithmetic.right))) };
  }
  for (const { path, placeholder } of add) {
    const value = item[nameOf(path)] ?? { N: '0' };
    changed[nameOf(path)] = { N: addNumbers(numberOf(value), '+', numberOf(valueFor(placeholder))) };
  }
  for (const { path } of remove) delete changed[nameOf(path)];
  return changed;
}

function existing(value: AttributeValue | undefined): AttributeValue {
  if (value === undefined) throw new ValidationError('An operand does not exist in the item');
  return value;
}

function numberOf({ N }: AttributeValue): string {
  if (N === undefined) throw new ValidationError('An operand is not a number');
  return N;
}
