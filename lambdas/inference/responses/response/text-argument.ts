/** Decodes the input of a custom tool from the arguments of the function that stands for it: `{"input": "…"}`. */
import { parseJson, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { skipWhitespace } from '#lambdas/platform/json/members.ts';
import { inputArgument } from '../request/custom-tools.ts';

interface TextArgument {
  /** Returns the text that the new part of the JSON completes. */
  push(json: string): string;
  /** Returns the text that was not returned before, since the argument is not the first one. */
  rest(): string;
  /** False if the arguments have no such text. */
  isValid(): boolean;
}

export function createTextArgument(): TextArgument {
  let json = '';
  /** The start of what has not been decoded yet; `null` before the text begins. */
  let at: number | null = null;
  let isEnded = false;
  let length = 0;
  const wholeText = () => parseJsonObject(json)?.[inputArgument];
  return {
    push(delta) {
      json += delta;
      at ??= textStart(json);
      if (at === null || isEnded) return '';
      const end = decodableEnd(json, at);
      isEnded = json[end] === '"';
      const text = parseJson(`"${json.slice(at, end)}"`);
      at = end;
      if (typeof text !== 'string') return '';
      length += text.length;
      return text;
    },
    rest() {
      const text = wholeText();
      return typeof text === 'string' ? text.slice(length) : '';
    },
    isValid: () => typeof wholeText() === 'string',
  };
}

const key = JSON.stringify(inputArgument);

/** The position after the quote that begins the text; `null` if it has not arrived, or if another argument comes first. */
function textStart(json: string): number | null {
  const keyStart = skipWhitespace(json, json.indexOf('{') + 1);
  if (!json.startsWith(key, keyStart)) return null;
  const colon = skipWhitespace(json, keyStart + key.length);
  const quote = skipWhitespace(json, colon + 1);
  return json[colon] === ':' && json[quote] === '"' ? quote + 1 : null;
}

const backslash = '\\';

/** The end of the text so far: its closing quote, or the first escape that is incomplete. */
function decodableEnd(json: string, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== '"') {
    const length = json[at] === backslash ? escapeLength(json, at) : 1;
    if (at + length > json.length) break;
    at += length;
  }
  return at;
}

const unicodeEscapeLength = 6;
const unicodePrefix = '\\u';

/** Both halves of a surrogate pair are one escape, since half of a character cannot be sent. */
function escapeLength(json: string, at: number): number {
  if (json[at + 1] !== 'u') return 2;
  const end = at + unicodeEscapeLength;
  const isHighSurrogate = /^[dD][89abAB]/.test(json.slice(at + 2, end));
  const mayBePair = isHighSurrogate && unicodePrefix.startsWith(json.slice(end, end + 2));
  return mayBePair ? 2 * unicodeEscapeLength : unicodeEscapeLength;
}
