/** Texts as JSON, whose characters are escaped in any of the ways that JSON allows. */
import { fc } from '../fast-check.ts';

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** One UTF-16 unit, by a number that chooses the form. */
function unitJson(unit: string, form: number): string {
  const isFree = unit >= ' ' && unit !== '"' && unit !== '\\';
  const short = shortEscapes[unit];
  if (isFree && form < 2) return unit;
  if (short !== undefined && form < 3) return short;
  const digits = unit.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\u${form % 2 === 0 ? digits : digits.toUpperCase()}`;
}

export function escapedJson(text: string): fc.Arbitrary<string> {
  const units = text.split('');
  return fc
    .array(fc.nat(4), { minLength: units.length, maxLength: units.length })
    .map((forms) => `"${units.map((unit, at) => unitJson(unit, forms[at] ?? 0)).join('')}"`);
}
