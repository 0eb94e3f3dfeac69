/** Evaluates metric math for one period, with CloudWatch's rules for missing data. */
import type { BinaryOperator, Expression } from './parse.ts';

/** A time series at one point in time, where it may have no value, or a number. */
type Operand = { kind: 'series'; value: number | null } | { kind: 'scalar'; value: number };

/** Returns the value of a metric or an expression by its id; `null` when it is missing. */
type ReadValue = (id: string) => number | null;

/** Returns `null` when the result is missing. */
export function evaluateMetricMath(expression: Expression, read: ReadValue): number | null {
  return evaluate(expression, read).value;
}

function evaluate(expression: Expression, read: ReadValue): Operand {
  switch (expression.kind) {
    case 'number':
      return { kind: 'scalar', value: expression.value };
    case 'reference':
      return series(read(expression.id));
    case 'negation':
      return map(evaluate(expression.operand, read), (value) => -value);
    case 'binary':
      return combine(
        evaluate(expression.left, read),
        evaluate(expression.right, read),
        operations[expression.operator],
      );
    case 'if':
      return choose(expression, read);
    case 'fill': {
      const filled = evaluate(expression.series, read);
      return filled.value === null ? series(evaluate(expression.filler, read).value) : filled;
    }
    case 'service quota':
      // Quotas belong to an AWS account.
      return series(null);
    default:
      return expression satisfies never;
  }
}

/** `null` drops the value, as a division by zero does. */
const operations: Record<BinaryOperator, (left: number, right: number) => number | null> = {
  OR: (left, right) => Number(left !== 0 || right !== 0),
  AND: (left, right) => Number(left !== 0 && right !== 0),
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
  '<=': (left, right) => Number(left <= right),
  '>=': (left, right) => Number(left >= right),
  '<': (left, right) => Number(left < right),
  '>': (left, right) => Number(left > right),
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => (right === 0 ? null : left / right),
};

/** The missing value of one of two series counts as 0. */
function combine(left: Operand, right: Operand, operation: (one: number, other: number) => number | null) {
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    const value = operation(left.value, right.value);
    return value === null ? series(null) : ({ kind: 'scalar', value } as const);
  }
  const hasValue = [left, right].some(({ kind, value }) => kind === 'series' && value !== null);
  return series(hasValue ? operation(left.value ?? 0, right.value ?? 0) : null);
}

/** A missing value counts as 0 if the condition selects it, except as the third argument. */
function choose(expression: Expression & { kind: 'if' }, read: ReadValue): Operand {
  const condition = evaluate(expression.condition, read);
  if (condition.value === null) return series(null);
  if (condition.value !== 0) return series(evaluate(expression.whenTrue, read).value ?? 0);
  return series(expression.whenFalse === null ? null : evaluate(expression.whenFalse, read).value);
}

function map(operand: Operand, change: (value: number) => number): Operand {
  if (operand.kind === 'scalar') return { kind: 'scalar', value: change(operand.value) };
  return series(operand.value === null ? null : change(operand.value));
}

function series(value: number | null): Operand {
  return { kind: 'series', value };
}
