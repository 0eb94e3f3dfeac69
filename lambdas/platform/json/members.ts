/** Where the members of a JSON object stand in its text, so that one value can change and every other byte stays. */

export interface JsonMember {
  /** The key, with escapes resolved. */
  key: string;
  /** Offsets of the value in the text: the first character, and the one behind the last. */
  start: number;
  end: number;
}

/**
 * Lists the members of the object that starts at `objectStart`, in order, keys that are there twice included.
 *
 * The text must have been accepted by `JSON.parse`: nothing is checked again.
 */
export function jsonMembers(text: string, objectStart: number): JsonMember[] {
  const members: JsonMember[] = [];
  let at = skipWhitespace(text, objectStart + 1);
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at);
    const key: string = JSON.parse(text.slice(at, keyEnd));
    const start = skipWhitespace(text, skipWhitespace(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    members.push({ key, start, end });
    const comma = skipWhitespace(text, end);
    at = text[comma] === ',' ? skipWhitespace(text, comma + 1) : comma;
  }
  return members;
}

export function skipWhitespace(text: string, from: number): number {
  let at = from;
  while (isWhitespace(text.charCodeAt(at))) at++;
  return at;
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  if (first === '{' || first === '[') return nestedEnd(text, start);
  let at = start;
  while (at < text.length && !isWhitespace(text.charCodeAt(at)) && !',}]'.includes(text.charAt(at))) at++;
  return at;
}

function nestedEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

/** The offset behind the closing quote: the first one with an even number of backslashes before it. */
export function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}
