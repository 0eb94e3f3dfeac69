/**
 * Finds the regular expression literals in source code. A slash starts one unless it follows a value.
 *
 * This is a tokenizer, not a parser: a slash after a closing parenthesis or brace counts as a division. In formatted code,
 * it always is one.
 */

export interface RegExpLiteral {
  source: string;
  flags: string;
}

const whitespaceOrComment = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const stringLiteral = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/y;
/** Up to the end of the template, or up to the next substitution. */
const templatePart = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
const identifier = /[\w$]+/y;
const regExpLiteral = /\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/(\w*)/y;
const anyCharacter = /[\s\S]/y;

/** Keywords that are followed by a value, so that a slash after them starts a literal. */
const keywords = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'void',
  'delete',
  'await',
  'yield',
  'throw',
  'else',
]);

export function findRegularExpressions(code: string): RegExpLiteral[] {
  const found: RegExpLiteral[] = [];
  /** The open braces; true for those of a template substitution. */
  const braces: boolean[] = [];
  let followsValue = false;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(code);
    at += match?.[0].length ?? 0;
    return match;
  };
  const takeTemplate = () => {
    if (take(templatePart)?.[0].endsWith('${')) braces.push(true);
    return true;
  };
  const takePunctuation = (punctuation: string): boolean => {
    if (punctuation === '`') return takeTemplate();
    if (punctuation === '{') braces.push(false);
    if (punctuation === '}' && braces.pop() === true) return takeTemplate();
    return ')]}'.includes(punctuation);
  };

  /** Returns true when a slash after the token is a division. */
  const takeToken = (): boolean => {
    const name = take(identifier)?.[0];
    if (name !== undefined) return !keywords.has(name);
    const regular = followsValue ? null : take(regExpLiteral);
    if (regular === null)
      return take(stringLiteral) !== null || takePunctuation(take(anyCharacter)?.[0] ?? '');
    found.push({ source: regular[1] ?? '', flags: regular[2] ?? '' });
    return true;
  };
  while (at < code.length) {
    if (take(whitespaceOrComment) === null) followsValue = takeToken();
  }
  return found;
}
