/**
 * Compiles patterns of events, with literals, `prefix` and `exists`: those of filter criteria of event source mappings and of
 * rules of EventBridge.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
 */
import { LocalGatewayError } from '../local-gateway-error.ts';
import { isObject } from '../untyped-json.ts';

export type EventFilter = (event: unknown) => boolean;

/** Throws for patterns that the local run does not support. */
export function readEventPattern(pattern: unknown, where: string): EventFilter {
  const fields = compilePattern(pattern, { path: [], where });
  return (event) => matchesAll(event, fields);
}

interface FieldPattern {
  path: readonly string[];
  matches: ValueMatcher;
}

/** Matches the values of one field: none when the field is absent, several when it is in an array. */
type ValueMatcher = (values: readonly unknown[]) => boolean;

/** Unlike Lambda, does not require that the values of all fields come from the same element of an array. */
function matchesAll(event: unknown, fields: readonly FieldPattern[]): boolean {
  return fields.every(({ path, matches }) => matches(valuesAt(event, path)));
}

/** Only leaf nodes are values, also for `exists`: objects are not. */
function valuesAt(node: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(node)) return node.flatMap((element) => valuesAt(element, path));
  const [name, ...nestedPath] = path;
  if (name !== undefined) return isObject(node) ? valuesAt(node[name], nestedPath) : [];
  return node === undefined || isObject(node) ? [] : [node];
}

function compilePattern(
  pattern: unknown,
  { path, where }: { path: readonly string[]; where: string },
): FieldPattern[] {
  if (Array.isArray(pattern)) {
    const matchers = pattern.map((matcher) => compileMatcher(matcher, where));
    return [{ path, matches: (values) => matchers.some((matches) => matches(values)) }];
  }
  if (!isObject(pattern))
    throw new LocalGatewayError(`${where}: an event pattern must be an object or an array`);
  return Object.entries(pattern).flatMap(([name, nested]) =>
    compilePattern(nested, { path: [...path, name], where: `${where}.${name}` }),
  );
}

function compileMatcher(matcher: unknown, where: string): ValueMatcher {
  if (typeof matcher !== 'object' || matcher === null) return (values) => values.includes(matcher);
  const [[name, operand] = [], ...others] = Object.entries(matcher);
  if (others.length === 0) {
    if (name === 'prefix' && typeof operand === 'string')
      return (values) => values.some((value) => typeof value === 'string' && value.startsWith(operand));
    if (name === 'exists' && typeof operand === 'boolean') return (values) => values.length > 0 === operand;
  }
  throw new LocalGatewayError(
    `${where}: the local run supports only literals, prefix and exists in event patterns, not ${JSON.stringify(matcher)}`,
  );
}
