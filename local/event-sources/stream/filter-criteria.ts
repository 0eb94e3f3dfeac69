import { asArray, asObject, asString, parseJson } from '#local/untyped-json.ts';
import { type EventFilter, readEventPattern } from '../event-pattern.ts';

/** Compiles `FilterCriteria`. An event passes when it matches any of the patterns. */
export function readFilterCriteria(criteria: unknown, where: string): EventFilter {
  if (criteria === undefined) return () => true;
  const filters = asArray(asObject(criteria, where).Filters ?? [], `${where}.Filters`);
  const patterns = filters.map((filter, index) => {
    const path = `${where}.Filters[${index}]`;
    const pattern = asString(asObject(filter, path).Pattern, `${path}.Pattern`);
    return readEventPattern(parseJson(pattern), `${path}.Pattern`);
  });
  return (event) => patterns.length === 0 || patterns.some((matches) => matches(event));
}
