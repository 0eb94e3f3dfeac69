/**
 * The regular expressions of a source, found by reading it as text: a slash begins one where no value can have ended.
 *
 * It is no parser: behind a closing parenthesis or brace a slash is taken for a division, and the formatter leaves no
 * place where it could be anything else.
 */

export interface FoundExpression {
  source: string;
  flags: string;
}

const blank = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const text = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/y;
/** As far as the end, or as the next piece of code in it. */
const template = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
const word = /[\w$]+/y;
const expression = /\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/(\w*)/y;
const other = /[\s\S]/y;

/** What looks like a name, and is none: behind it a value begins. */
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

export function findRegularExpressions(code: string): FoundExpression[] {
  const found: FoundExpression[] = [];
  /** For each brace that is open, whether a template goes on behind it. */
  const braces: boolean[] = [];
  let valueBefore = false;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(code);
    at += match?.[0].length ?? 0;
    return match;
  };
  const takeTemplate = () => {
    if (take(template)?.[0].endsWith('${')) braces.push(true);
    return true;
  };
  const takeSign = (sign: string): boolean => {
    if (sign === '`') return takeTemplate();
    if (sign === '{') braces.push(false);
    if (sign === '}' && braces.pop() === true) return takeTemplate();
    return ')]}'.includes(sign);
  };

  /** Whether it was something behind which a slash divides. */
  const takeToken = (): boolean => {
    const name = take(word)?.[0];
    if (name !== undefined) return !keywords.has(name);
    const regular = valueBefore ? null : take(expression);
    if (regular === null) return take(text) !== null || takeSign(take(other)?.[0] ?? '');
    found.push({ source: regular[1] ?? '', flags: regular[2] ?? '' });
    return true;
  };
  while (at < code.length) {
    if (take(blank) === null) valueBefore = takeToken();
  }
  return found;
}
