/** JSON from outside: its values are unknown until they have been checked. */
import { invalidRequest } from '../errors.ts';

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `undefined` for invalid JSON. The parser's error is not passed on, since it quotes the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `null` when the text is no JSON, or no object. */
export function parseJsonObject(text: string): JsonObject | null {
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

/** Whatever is an object in what should be a list of them. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** The value, if it is an object, and else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The value, if it is text, and else none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Far more than a request needs, far less than the stack allows: unlike parsing, stringifying is recursive. */
const maxNesting = 100;

/** Throws a `GatewayError` (400) for a request that no provider should have to read. */
export function refuseDeepNesting(body: unknown): void {
  if (!isNestedDeeperThan(maxNesting, body)) return;
  throw invalidRequest('body', `The request body must not be nested deeper than ${maxNesting} levels`);
}

/** Whether the value holds more than so many objects and lists inside each other. */
export function isNestedDeeperThan(levels: number, value: unknown): boolean {
  let containers: object[] = [];
  collect(value, containers);
  for (let level = 0; containers.length > 0; level++) {
    if (level === levels) return true;
    const inside: object[] = [];
    for (const container of containers) {
      const values: unknown[] = Array.isArray(container) ? container : Object.values(container);
      for (const inner of values) collect(inner, inside);
    }
    containers = inside;
  }
  return false;
}

function collect(value: unknown, containers: object[]): void {
  if (typeof value === 'object' && value !== null) containers.push(value);
}
