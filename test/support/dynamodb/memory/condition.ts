/** Evaluates conditions. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Comparator, ComparedOperand, Condition } from './parse.ts';
import { literalOf, type Placeholders } from './placeholders.ts';
import { type Attributes, compareValues, isEqual, ValidationError } from './values.ts';

/** Throws a `ValidationError` for literal operands that DynamoDB rejects without reading the item. */
export function checkCondition(condition: Condition, placeholders: Placeholders): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      checkCondition(condition.left, placeholders);
      checkCondition(condition.right, placeholders);
      break;
    case 'not':
      checkCondition(condition.condition, placeholders);
      break;
    case 'between': {
      const lower = literalOf(condition.lower, placeholders);
      const upper = literalOf(condition.upper, placeholders);
      const order = lower && upper && compareValues(lower, upper);
      if (order === null || Number(order) > 0) throw new ValidationError('BETWEEN has invalid bounds');
      break;
    }
    case 'begins_with':
      for (const operand of [condition.left, condition.right]) {
        const literal = literalOf(operand, placeholders);
        if (literal && literal.S === undefined) throw new ValidationError('begins_with requires a string');
      }
  }
}

/** An item that does not exist has no attributes. */
export function isTrue(condition: Condition, item: Attributes, placeholders: Placeholders): boolean {
  const isOneTrue = (one: Condition) => isTrue(one, item, placeholders);
  const find = (operand: ComparedOperand) => findValue(operand, item, placeholders);
  switch (condition.kind) {
    case 'and':
      return isOneTrue(condition.left) && isOneTrue(condition.right);
    case 'or':
      return isOneTrue(condition.left) || isOneTrue(condition.right);
    case 'not':
      return !isOneTrue(condition.condition);
    case 'attribute_exists':
      return item[placeholders.nameOf(condition.path)] !== undefined;
    case 'attribute_not_exists':
      return item[placeholders.nameOf(condition.path)] === undefined;
    case 'compares':
      return compares(find(condition.left), condition.comparator, find(condition.right));
    case 'between': {
      const value = find(condition.operand);
      return compares(value, '>=', find(condition.lower)) && compares(value, '<=', find(condition.upper));
    }
    case 'in': {
      const value = find(condition.operand);
      return condition.list.some((element) => compares(value, '=', find(element)));
    }
    case 'contains':
      return contains(find(condition.left), find(condition.right));
    case 'begins_with': {
      const [text, prefix] = [find(condition.left)?.S, find(condition.right)?.S];
      return text !== undefined && prefix !== undefined && text.startsWith(prefix);
    }
    default:
      return condition satisfies never;
  }
}

/** `undefined` for an attribute that does not exist. */
function findValue(
  operand: ComparedOperand,
  item: Attributes,
  { nameOf, valueFor }: Placeholders,
): AttributeValue | undefined {
  switch (operand.kind) {
    case 'attribute':
      return item[nameOf(operand.path)];
    case 'value':
      return valueFor(operand.placeholder);
    case 'size':
      return sizeOf(item[nameOf(operand.path)]);
    default:
      return operand satisfies never;
  }
}

/** `undefined` for values without a size. */
function sizeOf(value: AttributeValue | undefined): AttributeValue | undefined {
  const { S, L, M, SS, NS } = value ?? {};
  const elements = S ?? L ?? SS ?? NS ?? (M && Object.keys(M));
  return elements === undefined ? undefined : { N: String(elements.length) };
}

/** A value that does not exist differs from every other; all other comparisons with it are false. */
function compares(
  left: AttributeValue | undefined,
  comparator: Comparator,
  right: AttributeValue | undefined,
): boolean {
  if (left === undefined || right === undefined) return comparator === '<>';
  const order = compareValues(left, right);
  switch (comparator) {
    case '=':
      return isEqual(left, right);
    case '<>':
      return !isEqual(left, right);
    case '<':
      return order !== null && order < 0;
    case '<=':
      return order !== null && order <= 0;
    case '>':
      return order !== null && order > 0;
    case '>=':
      return order !== null && order >= 0;
    default:
      return comparator satisfies never;
  }
}

function contains(container: AttributeValue | undefined, element: AttributeValue | undefined): boolean {
  if (container === undefined || element === undefined) return false;
  const { S, L, SS, NS } = container;
  if (S !== undefined) return element.S !== undefined && S.includes(element.S);
  if (L !== undefined) return L.some((value) => isEqual(value, element));
  if (SS !== undefined) return element.S !== undefined && SS.includes(element.S);
  return NS !== undefined && element.N !== undefined && NS.includes(element.N);
}
