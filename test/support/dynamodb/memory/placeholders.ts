/** Resolves the placeholders of the expressions of a write. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { AssignedOperand, ComparedOperand, Parsed } from './parse.ts';
import { toAttributes, ValidationError } from './values.ts';

/** Members of the input of a write. */
export interface Expressions {
  UpdateExpression?: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

export interface Placeholders {
  /** Also of a path that is a name. */
  nameOf(path: string): string;
  valueFor(placeholder: string): AttributeValue;
}

/** Throws a `ValidationError` for placeholders without a use or a definition. */
export function resolvePlaceholders(
  { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Expressions,
  parsed: readonly (Parsed<unknown> | null)[],
): Placeholders {
  const used = new Set(parsed.flatMap((one) => [...(one?.placeholders ?? [])]));
  const defined = new Set([...Object.keys(names), ...Object.keys(values)]);
  const [wrong] = used.symmetricDifference(defined);
  if (wrong !== undefined) throw new ValidationError(`The placeholder ${wrong} is not defined or not used`);
  const attributes = toAttributes(values);
  return {
    nameOf: (path) => (path.startsWith('#') ? valueIn(names, path) : path),
    valueFor: (placeholder) => valueIn(attributes, placeholder),
  };
}

function valueIn<Value>(values: Readonly<Record<string, Value>>, placeholder: string): Value {
  const value = values[placeholder];
  if (value === undefined) throw new ValidationError(`The placeholder ${placeholder} is not defined`);
  return value;
}

/** `undefined` for an attribute or a function. */
export function literalOf(
  operand: ComparedOperand | AssignedOperand,
  { valueFor }: Placeholders,
): AttributeValue | undefined {
  return operand.kind === 'value' ? valueFor(operand.placeholder) : undefined;
}
