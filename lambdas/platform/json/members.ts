/** Finds the positions of a JSON object's members in its text, to replace one value and keep every other byte. */

/** The key is unescaped; the value is `text.slice(start, end)`. */
export interface JsonMember {
  key: string;
  start: number;
  end: number;
}

/** Lists the members of the object at `objectStart`, including duplicate keys. The text must be valid JSON. */
export function jsonMembers(text: string, objectStart: number): JsonMember[] {
  const members: JsonMember[] = [];
  let at = skipWhitespace(text, objectStart + 1);
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at);
    // Only a text that was cut off ends with a key.
    if (keyEnd >= text.length) break;
    const quoted = text.slice(at, keyEnd);
    const key: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
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

export function valueEnd(text: string, start: number): number {
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

/** Returns the offset after the closing quote, which is the first one preceded by an even number of backslashes. */
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
