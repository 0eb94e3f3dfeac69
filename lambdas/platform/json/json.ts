/** Parses and checks JSON from untrusted sources. */
import { invalidRequestError } from '../errors.ts';

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns `undefined` for invalid JSON. The parser's error is not passed on, since it quotes the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function parseJsonObject(text: string): JsonObject | null {
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

export function filterObjects(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

export function objectOrEmpty(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

/** Far more than a request needs, and far less than the call stack allows: unlike parsing, serializing is recursive. */
const maxNesting = 100;

export function assertMaxNesting(body: unknown): void {
  if (!isNestedDeeperThan(maxNesting, body)) return;
  throw invalidRequestError('body', `The request body must not be nested deeper than ${maxNesting} levels`);
}

export function isNestedDeeperThan(levels: number, value: unknown): boolean {
  let containers: object[] = [];
  collect(value, containers);
  for (let level = 0; containers.length > 0; level++) {
    if (level === levels) return true;
    const nested: object[] = [];
    for (const container of containers) {
      const values: unknown[] = Array.isArray(container) ? container : Object.values(container);
      for (const inner of values) collect(inner, nested);
    }
    containers = nested;
  }
  return false;
}

function collect(value: unknown, containers: object[]): void {
  if (typeof value === 'object' && value !== null) containers.push(value);
}
