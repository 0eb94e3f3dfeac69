/**
 * Compiles `FilterCriteria`, for patterns of literals, `prefix` and `exists`.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import { asArray, asObject, asString, isObject, parseJson } from '#local/untyped-json.ts';

export type EventFilter = (event: unknown) => boolean;

/** An event passes when it matches any of the patterns. */
export function readFilterCriteria(criteria: unknown, where: string): EventFilter {
  if (criteria === undefined) return () => true;
  const filters = asArray(asObject(criteria, where).Filters ?? [], `${where}.Filters`);
  const patterns = filters.map((filter) => {
    const pattern = parseJson(asString(asObject(filter, where).Pattern, `${where}.Pattern`));
    return compilePattern(pattern, { path: [], where });
  });
  return (event) => patterns.length === 0 || patterns.some((fields) => matchesAll(event, fields));
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
    throw new LocalGatewayError(`${where}: a filter pattern must be an object or an array`);
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
    `${where}: the local run supports only literals, prefix and exists in filter patterns, not ${JSON.stringify(matcher)}`,
  );
}
