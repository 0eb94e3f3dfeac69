/** JSON that can be written again with every digit of its numbers, also of those that JavaScript would round. */
import { isJsonObject, type JsonObject } from './json.ts';

declare global {
  interface JSON {
    /** With the source text, as in Node since 22: https://github.com/tc39/proposal-json-parse-with-source */
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    isRawJSON(value: unknown): boolean;
  }
}

/**
 * `undefined` when the text is no JSON, or nested deeper than the stack. A number that JavaScript would write otherwise
 * (`1.0`, 2⁵³ + 1) becomes a stand-in object that `JSON.stringify` writes as it was; all others are numbers.
 */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text, keepNumber);
  } catch (error) {
    // The walk that keeps the numbers is recursive, while plain parsing is not.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** `null` when the text is no JSON, or no object: a number's stand-in is none. */
export function parseExactJsonObject(text: string): JsonObject | null {
  const value = parseExactJson(text);
  return isJsonObject(value) && !isKeptNumber(value) ? value : null;
}

/** Whether the value stands in for a number, although it looks like an object. */
export function isKeptNumber(value: unknown): boolean {
  return JSON.isRawJSON(value);
}

function keepNumber(_key: string, value: unknown, { source }: { source?: string }): unknown {
  const changes = typeof value === 'number' && source !== undefined && String(value) !== source;
  return changes ? JSON.rawJSON(source) : value;
}
