/** Decodes the input of a custom tool from the arguments of the function that stands for it: `{"input": "…"}`. */
import { parseJson, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { inputArgument } from '../request/custom-tools.ts';

interface TextArgument {
  /** Returns the text that the new part of the JSON completes. */
  push(json: string): string;
  /** Returns the text that was not returned before, since the argument is not the first one. */
  rest(): string;
  /** False if the arguments have no such text. */
  isValid(): boolean;
}

/** Without white space. */
const textStart = `{${JSON.stringify(inputArgument)}:"`;

export function createTextArgument(): TextArgument {
  const chunks: string[] = [];
  const returned: string[] = [];
  /** The JSON so far, without white space, until the text begins; `null` once it has, or if it does not begin so. */
  let start: string | null = '';
  let isText = false;
  /** The start of an escape that is incomplete. */
  let pending = '';
  const decode = (json: string): string => {
    if (!isText) return '';
    const undecoded = pending + json;
    const end = decodableEnd(undecoded);
    if (undecoded[end] === '"') isText = false;
    pending = undecoded.slice(end);
    const text = parseJson(`"${undecoded.slice(0, end)}"`);
    return typeof text === 'string' ? text : '';
  };
  /** Returns what follows the quote that begins the text. */
  const skipStart = (json: string): string => {
    for (const [at, character] of [...json].entries()) {
      if (character.trim() === '') continue;
      start += character;
      if (start === textStart) isText = true;
      if (!isText && textStart.startsWith(start ?? '')) continue;
      start = null;
      return isText ? json.slice(at + 1) : '';
    }
    return '';
  };
  /** `null` if the arguments do not have the text, or have more than one. */
  const wholeText = (): string | null => {
    const text = parseJsonObject(chunks.join(''))?.[inputArgument];
    return typeof text === 'string' && text.startsWith(returned.join('')) ? text : null;
  };
  return {
    push(json) {
      chunks.push(json);
      const text = decode(start === null ? json : skipStart(json));
      returned.push(text);
      return text;
    },
    rest: () => wholeText()?.slice(returned.join('').length) ?? '',
    isValid: () => wholeText() !== null,
  };
}

const backslash = '\\';

/** The end of the text: its closing quote, or the first escape that is incomplete. */
function decodableEnd(json: string): number {
  let at = 0;
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
