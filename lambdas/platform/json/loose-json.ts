/**
 * Reads JSON like all servers together. Some use the first of duplicate keys, some the last or both; Go's JSON parser
 * ignores the case of keys (https://pkg.go.dev/encoding/json#Unmarshal).
 *
 * The text must be valid JSON, of any size and depth: nothing is recursive, and objects and lists are scanned when they
 * are looked into.
 */
import { type JsonMember, jsonMembers, skipWhitespace, valueEnd } from './members.ts';

/** The value is `text.slice(start, end)`. */
export interface LooseValue {
  text: string;
  start: number;
  end: number;
  /** False if a server may find another value in its place, or none. */
  isCertain: boolean;
}

export interface LooseObject {
  value: LooseValue;
  members: readonly JsonMember[];
  /** `name` is in lower case, and ASCII. */
  find(name: string): LooseField;
}

export interface LooseField {
  /** Includes those of duplicates, and of the name in another case. */
  values: LooseValue[];
  /** False if the name is only given in another case, which most servers do not know. */
  isNamedExactly: boolean;
}

export function looseJson(text: string): LooseValue {
  return { text, start: skipWhitespace(text, 0), end: text.length, isCertain: true };
}

/** Any other value is like an object without members. */
export function looseObject(value: LooseValue): LooseObject {
  const { text, start } = value;
  const members = isObject(value) ? jsonMembers(text, start) : [];
  return {
    value,
    members,
    find(name) {
      const found = members.filter(({ key }) => isNamed(key, name));
      const isNamedExactly = found.some(({ key }) => key === name);
      const isCertain = value.isCertain && isNamedExactly && found.length === 1;
      return { values: found.map(({ start, end }) => ({ text, start, end, isCertain })), isNamedExactly };
    },
  };
}

/** A key that folds to an ASCII name is as long as the name, so a key of another length needs no folding. */
function isNamed(key: string, name: string): boolean {
  return key === name || (key.length === name.length && foldCase(key) === name);
}

/** Any other value is like a list without items. */
export function* looseItems({ text, start, isCertain }: LooseValue): Generator<LooseValue> {
  if (text[start] !== '[') return;
  let at = skipWhitespace(text, start + 1);
  while (at < text.length && text[at] !== ']') {
    const end = valueEnd(text, at);
    yield { text, start: at, end, isCertain };
    const comma = skipWhitespace(text, end);
    at = text[comma] === ',' ? skipWhitespace(text, comma + 1) : comma;
  }
}

export function isObject({ text, start }: LooseValue): boolean {
  return text[start] === '{';
}

export function parseValue({ text, start, end }: LooseValue): unknown {
  return JSON.parse(text.slice(start, end));
}

/** Returns `null` for any value but a string. */
export function stringOf(value: LooseValue): string | null {
  return value.text[value.start] === '"' ? String(parseValue(value)) : null;
}

/** Equates the letters that Go's parser equates in keys: those that differ in case, and s with ſ. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ſ', 's');
}
