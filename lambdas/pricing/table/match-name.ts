/** Compares names of models with the matchers of the price table. */
import { isMatcherList, type NameMatcher } from './provider-prices.ts';

/** `name` is in lower case. */
export function matches(match: NameMatcher, name: string): boolean {
  if (typeof match === 'string') return name === match.toLowerCase();
  if (isMatcherList(match)) return match.some((inner) => matches(inner, name));
  if ('and' in match) return match.and.every((inner) => matches(inner, name));
  if ('starts_with' in match) return name.startsWith(match.starts_with);
  if ('ends_with' in match) return name.endsWith(match.ends_with);
  if ('contains' in match) return name.includes(match.contains);
  if ('versions_of' in match) return isVersionOf(match.versions_of, name);
  return new RegExp(match.regex).test(name);
}

/** Only dates and versions as in `-20250929-v1:0`: other numbers and `latest` can name another model. */
function isVersionOf(known: string, name: string): boolean {
  const text = known.toLowerCase();
  return (
    name.startsWith(text) && /^(-\d{8}|-\d{4}-\d{2}-\d{2})?(-v\d+)?(:\d+)?$/.test(name.slice(text.length))
  );
}

/** True for `-20250929`, `-2024-08-06`, `@20250929`, `-latest`, `-001`, `-0613`, `-v1:0` and combinations of them. */
function isVersionSuffix(text: string): boolean {
  const parts = text
    .replace(/\d{4}-\d{2}-\d{2}/g, '')
    .replace(/:\d+$/, '')
    .split(/[-@:.]/);
  return parts.every((part) => /^$|^latest$|^\d{3,4}$|^\d{6}$|^\d{8}$|^v\d+$/.test(part));
}

/** True when the name is one of the matcher's names, perhaps with a namespace before it and a date or version after it. */
export function isNamed(match: NameMatcher, name: string): boolean {
  if (isMatcherList(match)) return match.some((inner) => isNamed(inner, name));
  if (typeof match === 'string') return isNamedBy(match, name);
  if ('and' in match) return match.and.some((inner) => isNamed(inner, name));
  // A pattern for the whole name, such as one with a date.
  if ('regex' in match) return /^\^[^|]*\$$/.test(match.regex) && matches(match, name);
  return Object.values(match).some((text) => isNamedBy(text, name));
}

function isNamedBy(text: string, name: string): boolean {
  const known = text.toLowerCase();
  const at = name.indexOf(known);
  const namespace = name.slice(0, Math.max(at, 0));
  return at !== -1 && /^$|[./]$/.test(namespace) && isVersionSuffix(name.slice(at + known.length));
}

/** Returns the first result for the name in lower case or, if there is none, for its spelling with dashes in dates. */
export function firstInSpelling<Found>(name: string, find: (spelling: string) => Found | null): Found | null {
  const lowerCase = name.toLowerCase().trim();
  for (const spelling of new Set([lowerCase, withDashedDates(lowerCase)])) {
    const found = find(spelling);
    if (found !== null) return found;
  }
  return null;
}

/** Rewrites `gpt-4o-20240806` as `gpt-4o-2024-08-06` if the digits are a valid date. */
function withDashedDates(name: string): string {
  return name.replace(
    /-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g,
    (text, year: string, month: string, day: string) => {
      const isDate =
        new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
      return isDate ? `-${year}-${month}-${day}` : text;
    },
  );
}
