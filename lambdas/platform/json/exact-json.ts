/** Parses JSON so that it can be serialized again with all digits of its numbers, which JavaScript might round. */
import { isJsonObject, type JsonObject } from './json.ts';

declare global {
  interface JSON {
    /** With the source text, since Node.js 22: https://github.com/tc39/proposal-json-parse-with-source */
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    isRawJSON(value: unknown): boolean;
  }
}

/**
 * Returns `undefined` for invalid JSON, and for JSON that is nested too deeply for the stack. A number that JavaScript
 * would serialize differently (`1.0`, 2⁵³ + 1) becomes a raw JSON object, which `JSON.stringify` writes unchanged.
 */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text, preserveNumber);
  } catch (error) {
    // Parsing with a reviver is recursive and can overflow the stack (`RangeError`).
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

export function parseExactJsonObject(text: string): JsonObject | null {
  const value = parseExactJson(text);
  return isExactJsonObject(value) ? value : null;
}

/** Like `isJsonObject` for values that may contain raw numbers. */
export function isExactJsonObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isRawNumber(value);
}

/** True for the raw JSON object of a number; `isJsonObject` is true for it as well. */
export function isRawNumber(value: unknown): boolean {
  return JSON.isRawJSON(value);
}

/** Rounds a raw number like `JSON.parse`; returns any other value unchanged. */
export function roundRawNumber(value: unknown): unknown {
  return isRawNumber(value) && isJsonObject(value) ? Number(value.rawJSON) : value;
}

function preserveNumber(_key: string, value: unknown, { source }: { source?: string }): unknown {
  const wouldChange = typeof value === 'number' && source !== undefined && String(value) !== source;
  return wouldChange ? JSON.rawJSON(source) : value;
}
