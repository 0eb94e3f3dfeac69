/**
 * Compiles patterns of events, of literals alone: those of filter criteria of event source mappings and of rules of EventBridge.
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
  literals: readonly unknown[];
}

function matchesAll(event: unknown, fields: readonly FieldPattern[]): boolean {
  return fields.every(({ path, literals }) => literals.includes(valueAt(event, path)));
}

function valueAt(node: unknown, [name, ...nestedPath]: readonly string[]): unknown {
  if (name === undefined) return node;
  return isObject(node) ? valueAt(node[name], nestedPath) : undefined;
}

function compilePattern(
  pattern: unknown,
  { path, where }: { path: readonly string[]; where: string },
): FieldPattern[] {
  if (Array.isArray(pattern)) {
    const operator = pattern.find((literal) => typeof literal === 'object');
    if (operator === undefined) return [{ path, literals: pattern }];
    throw new LocalGatewayError(
      `${where}: the local run supports only literals in event patterns, not ${JSON.stringify(operator)}`,
    );
  }
  if (!isObject(pattern))
    throw new LocalGatewayError(`${where}: an event pattern must be an object or an array`);
  return Object.entries(pattern).flatMap(([name, nested]) =>
    compilePattern(nested, { path: [...path, name], where: `${where}.${name}` }),
  );
}
