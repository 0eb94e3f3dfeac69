/**
 * Splits TypeScript source into tokens, so that tests can check its names, comments and regular expressions.
 *
 * This is a tokenizer, not a parser: a slash after a closing parenthesis or brace counts as a division. In formatted code,
 * it always is one.
 */

interface Token {
  kind: 'comment' | 'identifier' | 'regExp' | 'string' | 'template' | 'punctuation';
  text: string;
}

const patterns = {
  whitespace: /\s+/y,
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  string: /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/y,
  /** Up to the end of the template, or up to the next substitution. */
  template: /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y,
  identifier: /[\w$]+/y,
  regExp: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y,
  punctuation: /[\s\S]/y,
};

/** A slash after one of these keywords starts a regular expression. */
const keywordsBeforeValue = new Set([
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

/** Returns every token except whitespace. Keywords and numbers are identifiers. */
export function tokenize(code: string): Token[] {
  const tokens: Token[] = [];
  /** The open braces; true for those of a template substitution. */
  const braces: boolean[] = [];
  let followsValue = false;
  let at = 0;
  const match = (kind: keyof typeof patterns): string | null => {
    patterns[kind].lastIndex = at;
    const text = patterns[kind].exec(code)?.[0] ?? null;
    at += text?.length ?? 0;
    return text;
  };
  const take = (kind: Token['kind']): string | null => {
    const text = match(kind);
    if (text !== null) tokens.push({ kind, text });
    return text;
  };
  const takeTemplate = () => {
    if (take('template')?.endsWith('${')) braces.push(true);
    return true;
  };

  /** Returns true when a slash after the token would be a division. */
  const takeToken = (): boolean => {
    const name = take('identifier');
    if (name !== null) return !keywordsBeforeValue.has(name);
    if ((!followsValue && take('regExp') !== null) || take('string') !== null) return true;
    const punctuation = take('punctuation') ?? '';
    if (punctuation === '`') return takeTemplate();
    if (punctuation === '{') braces.push(false);
    if (punctuation === '}' && braces.pop() === true) return takeTemplate();
    return ')]}'.includes(punctuation);
  };
  while (at < code.length) {
    if (match('whitespace') === null && take('comment') === null) followsValue = takeToken();
  }
  return tokens;
}
