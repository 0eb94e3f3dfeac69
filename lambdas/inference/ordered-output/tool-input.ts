/** The input of a tool call, which arrives as the text of a JSON object, perhaps in parts. */

import { parseExactJson, parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { jsonMembers, skipWhitespace } from '#lambdas/platform/json/members.ts';
import { createJsonBody } from '../providers/http/json-body.ts';

interface ToolInput {
  /** Returns the text that can be sent: nothing before the object begins. */
  push(delta: string): string;
  /** True once the object has ended, after which another call can begin. */
  isComplete(): boolean;
  /** Called once, when all has arrived. False for no object; some servers send nothing, or `null`, for an empty one. */
  isValid(): boolean;
}

export function createToolInput(): ToolInput {
  const body = createJsonBody();
  /** The text before it is known to be an object, or all of another text. */
  let start = '';
  let kind: 'blank' | 'object' | 'other' = 'blank';
  let isComplete = false;
  return {
    push(delta) {
      let text = delta;
      if (kind !== 'object') {
        start += delta;
        if (kind === 'blank' && delta.trim() !== '')
          kind = delta.trimStart().startsWith('{') ? 'object' : 'other';
        if (kind !== 'object') return '';
        text = start;
      }
      if (body.push(Buffer.from(text))) isComplete = true;
      return text;
    },
    isComplete: () => isComplete,
    isValid: () => (kind === 'object' ? isObject(body.take()) : isEmptyInput(start)),
  };
}

function isObject({ value, rest }: { value: Buffer; rest: Buffer }): boolean {
  return rest.toString().trim() === '' && parseExactJsonObject(value.toString()) !== null;
}

function isEmptyInput(text: string): boolean {
  const value = text.trim() === '' ? '' : parseJson(text);
  return value === '' || value === null;
}

/** Parses the text with the digits of its numbers. One that was cut off has only the members that are complete. */
export function parseToolInput(text: string): JsonObject {
  const input = parseExactJsonObject(text === '' ? '{}' : text);
  if (input !== null) return input;
  const complete = jsonMembers(text, skipWhitespace(text, 0)).filter(({ end }) =>
    text.startsWith(',', skipWhitespace(text, end)),
  );
  return Object.fromEntries(
    complete.map(({ key, start, end }) => [key, parseExactJson(text.slice(start, end))]),
  );
}
