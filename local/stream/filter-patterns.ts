/**
 * Event filter patterns, as far as templates of this app use them: nested fields, each with a list of the literals
 * that it may be. https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asArray, asObject, asText, isObject, parseJson } from '../untyped-json.ts';

export type EventFilter = (event: unknown) => boolean;

/** Of an event source mapping's `FilterCriteria`: an event passes that matches any of the patterns. */
export function readFilterCriteria(criteria: unknown, where: string): EventFilter {
  if (criteria === undefined) return () => true;
  const filters = asArray(asObject(criteria, where).Filters ?? [], `${where}.Filters`);
  const patterns = filters.map((filter) => {
    const pattern = parseJson(asText(asObject(filter, where).Pattern, `${where}.Pattern`));
    return compile(pattern, where);
  });
  return (event) => patterns.length === 0 || patterns.some((pattern) => pattern(event));
}

function compile(pattern: unknown, where: string): EventFilter {
  if (Array.isArray(pattern)) return compileLiterals(pattern, where);
  if (!isObject(pattern))
    throw new LocalGatewayError(`${where}: a filter pattern must be an object or a list`);
  const fields = Object.entries(pattern).map(
    ([name, nested]) => [name, compile(nested, `${where}.${name}`)] as const,
  );
  return (event) => fields.every(([name, filter]) => filter(isObject(event) ? event[name] : undefined));
}

function compileLiterals(literals: unknown[], where: string): EventFilter {
  for (const literal of literals) {
    if (typeof literal !== 'object' || literal === null) continue;
    throw new LocalGatewayError(
      `${where}: the local run knows filter patterns of literals only, not ${JSON.stringify(literal)}`,
    );
  }
  return (value) => literals.includes(value);
}
