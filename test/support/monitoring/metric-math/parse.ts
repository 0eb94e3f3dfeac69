/**
 * Parses the part of CloudWatch's metric math that the alarms use: numbers, metrics, parentheses, arithmetic,
 * comparisons, AND, OR, IF, FILL and SERVICE_QUOTA.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
import { LocalGatewayError } from '#local/local-gateway-error.ts';

export type BinaryOperator = (typeof precedence)[number][number];

export type Expression =
  | { kind: 'number'; value: number }
  /** A metric, or another expression, by its id. */
  | { kind: 'reference'; id: string }
  | { kind: 'negation'; operand: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'if'; condition: Expression; whenTrue: Expression; whenFalse: Expression | null }
  | { kind: 'fill'; series: Expression; filler: Expression }
  | { kind: 'service quota' };

/** The operators that bind least come first. */
const precedence = [['OR'], ['AND'], ['==', '!=', '<=', '>=', '<', '>'], ['+', '-'], ['*', '/']] as const;

/** Other spellings of operators. */
const synonyms: Record<string, string> = { '||': 'OR', '&&': 'AND' };

const tokenPattern = /\s*(\d+(?:\.\d+)?|[A-Za-z_]\w*|==|!=|<=|>=|&&|\|\||[<>+\-*/(),])/y;

interface Parser {
  text: string;
  tokens: string[];
}

/** Throws a `LocalGatewayError` for anything else. */
export function parseMetricMath(text: string): Expression {
  const parser = { text, tokens: tokenize(text) };
  const expression = parseBinary(parser, 0);
  if (parser.tokens.length > 0) fail(parser, `${parser.tokens[0]} is not expected`);
  return expression;
}

function tokenize(text: string): string[] {
  const trimmed = text.trimEnd();
  const tokens: string[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < trimmed.length) {
    const at = tokenPattern.lastIndex;
    const token = tokenPattern.exec(trimmed)?.[1];
    if (token === undefined) fail({ text }, `${trimmed.slice(at).trim()} is not supported`);
    else tokens.push(synonyms[token] ?? token);
  }
  return tokens;
}

function parseBinary(parser: Parser, level: number): Expression {
  const operators = precedence[level];
  if (operators === undefined) return parseUnary(parser);
  let left = parseBinary(parser, level + 1);
  for (;;) {
    const operator = operators.find((candidate) => candidate === parser.tokens[0]);
    if (operator === undefined) return left;
    parser.tokens.shift();
    left = { kind: 'binary', operator, left, right: parseBinary(parser, level + 1) };
  }
}

function parseUnary(parser: Parser): Expression {
  const token = parser.tokens.shift();
  if (token === '-') return { kind: 'negation', operand: parseUnary(parser) };
  if (token === '(') {
    const expression = parseBinary(parser, 0);
    expect(parser, ')');
    return expression;
  }
  if (token === undefined) return fail(parser, 'it ends too early');
  if (/^\d/.test(token)) return { kind: 'number', value: Number(token) };
  if (!/^\w/.test(token)) return fail(parser, `${token} is not expected`);
  return parser.tokens[0] === '(' ? parseCall(parser, token) : { kind: 'reference', id: token };
}

function parseCall(parser: Parser, name: string): Expression {
  const [first, second, third, ...others] = parseArguments(parser);
  if (others.length === 0 && first !== undefined) {
    if (name === 'IF' && second !== undefined) {
      return { kind: 'if', condition: first, whenTrue: second, whenFalse: third ?? null };
    }
    if (name === 'FILL' && second !== undefined && third === undefined) {
      return { kind: 'fill', series: first, filler: second };
    }
    if (name === 'SERVICE_QUOTA' && second === undefined) return { kind: 'service quota' };
  }
  return fail(parser, `${name} is not supported, or not with these arguments`);
}

function parseArguments(parser: Parser): Expression[] {
  expect(parser, '(');
  const list = [parseBinary(parser, 0)];
  while (parser.tokens[0] === ',') {
    parser.tokens.shift();
    list.push(parseBinary(parser, 0));
  }
  expect(parser, ')');
  return list;
}

function expect(parser: Parser, token: string): void {
  const next = parser.tokens.shift();
  if (next !== token) fail(parser, `${next ?? 'the end'} is not expected instead of ${token}`);
}

function fail({ text }: Pick<Parser, 'text'>, reason: string): never {
  throw new LocalGatewayError(`Tests cannot evaluate the metric math "${text}": ${reason}`);
}
