/** Compares the resources of policies with the ARN formats of IAM's resource types. */

type Token = { kind: 'text'; text: string } | { kind: 'one' | 'many'; character: RegExp };

/** Variables whose values may contain slashes, and, for log groups, the `:*` that CloudWatch Logs requires after the name. */
const longVariables = /^(LogGroupName|ObjectName|SecretId|ApiSpecificResourcePath|.*WithPath)$/;

/**
 * Returns whether an ARN exists that matches both: `pattern` with the wildcards `*` and `?`, and a format such as
 * `arn:${Partition}:dynamodb:${Region}:${Account}:table/${TableName}`.
 */
export function fitsFormat(pattern: string, format: string): boolean {
  const tokens = tokensOf(format);
  const results = new Map<string, boolean>();
  const matches = (patternIndex: number, tokenIndex: number): boolean => {
    const key = `${patternIndex} ${tokenIndex}`;
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = compare(patternIndex, tokenIndex);
    results.set(key, result);
    return result;
  };
  const compare = (patternIndex: number, tokenIndex: number): boolean => {
    const character = pattern[patternIndex];
    const token = tokens[tokenIndex];
    if (character === undefined && token === undefined) return true;
    if (character === '*' && matches(patternIndex + 1, tokenIndex)) return true;
    if (token === undefined) return false;
    if (character === '*') return matches(patternIndex, tokenIndex + 1);
    if (token.kind === 'many' && matches(patternIndex, tokenIndex + 1)) return true;
    if (character === undefined || !accepts(token, character)) return false;
    return matches(patternIndex + 1, token.kind === 'many' ? tokenIndex : tokenIndex + 1);
  };
  return matches(0, 0);
}

function tokensOf(format: string): Token[] {
  // Splitting by a group returns texts and variables in turn.
  return format.split(/\$\{(\w+)\}/).flatMap((part, index): Token[] => {
    if (index % 2 === 0) return [...part].map((text) => ({ kind: 'text', text }));
    const character = longVariables.test(part) ? /./ : /[^:/]/;
    return [
      { kind: 'one', character },
      { kind: 'many', character },
    ];
  });
}

function accepts(token: Token, character: string): boolean {
  if (character === '?') return true;
  return token.kind === 'text' ? token.text === character : token.character.test(character);
}
