/** Finds the lines and fields that a query of CloudWatch Logs Insights reads. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';

const keywords = new Set([
  'fields',
  'filter',
  'stats',
  'sort',
  'limit',
  'parse',
  'display',
  'as',
  'by',
  'and',
  'or',
  'not',
  'like',
  'in',
  'asc',
  'desc',
  'is',
  'present',
]);

/** Leaves out fields that CloudWatch itself provides, such as `@timestamp`, and names that the query defines. */
export function readQueryFields(query: string): string[] {
  const text = query
    .replace(/^\s*#.*$/gm, '')
    .replace(/"[^"]*"|'[^']*'/g, ' ')
    .replace(/\blike\s+\/(?:\\.|[^/])*\//g, 'like ');
  const defined = new Set([...text.matchAll(/\bas\s+(\w+)/g)].map(([, name]) => name));
  const names = [...text.matchAll(/(?<![\w@.])[A-Za-z_][\w.]*(?![\w.]*\s*\()/g)].map(([name]) => name);
  return [...new Set(names)].filter((name) => !keywords.has(name) && !defined.has(name));
}

/**
 * Tells the lines of functions that a saved query selects: by their event, all errors, or Lambda's reports. A query that
 * names none of them selects all lines.
 */
export function createLineFilter(query: string): (line: JsonObject) => boolean {
  const lists = [...query.matchAll(/\bevent (?:=|in) (\[[^\]]*\]|"\w+")/g)].map(([, list = '']) => list);
  const events = new Set(lists.flatMap((list) => [...list.matchAll(/\w+/g)].map(([name]) => name)));
  const readsErrors = query.includes('level = "ERROR"');
  const readsReports = query.includes('type = "platform.report"');
  if (events.size === 0 && !readsErrors && !readsReports) return () => true;
  return ({ event, level, type }) =>
    events.has(String(event)) ||
    (readsErrors && level === 'ERROR') ||
    (readsReports && type === 'platform.report');
}
