/** JSON that can be written again with every digit of its numbers, also of those that JavaScript would round. */

declare global {
  interface JSON {
    /** With the source text, as in Node since 22: https://github.com/tc39/proposal-json-parse-with-source */
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/**
 * `undefined` when the text is no JSON. A number that JavaScript would write otherwise (`1.0`, 2⁵³ + 1) becomes a
 * stand-in object that `JSON.stringify` writes as it was; all others are numbers.
 */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text, keepNumber);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function keepNumber(_key: string, value: unknown, { source }: { source?: string }): unknown {
  const changes = typeof value === 'number' && source !== undefined && String(value) !== source;
  return changes ? JSON.rawJSON(source) : value;
}
