/** Parses update and condition expressions whose paths are names of attributes. */

/** A path is the name of an attribute, or its placeholder. */
type Reference = { kind: 'attribute'; path: string } | { kind: 'value'; placeholder: string };

export type ComparedOperand = Reference | { kind: 'size'; path: string };

export type AssignedOperand = Reference | { kind: 'if_not_exists'; path: string; otherwise: AssignedOperand };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { kind: 'and' | 'or'; left: Condition; right: Condition }
  | { kind: 'not'; condition: Condition }
  | { kind: 'compares'; comparator: Comparator; left: ComparedOperand; right: ComparedOperand }
  | { kind: 'between'; operand: ComparedOperand; lower: ComparedOperand; upper: ComparedOperand }
  | { kind: 'in'; operand: ComparedOperand; list: readonly ComparedOperand[] }
  | { kind: 'attribute_exists' | 'attribute_not_exists'; path: string }
  | { kind: 'contains' | 'begins_with'; left: ComparedOperand; right: ComparedOperand };

interface Arithmetic {
  operator: '+' | '-';
  right: AssignedOperand;
}

export interface Update {
  /** The value of a single operand, which may have any type, or the sum or difference of two numbers. */
  set: readonly { path: string; left: AssignedOperand; arithmetic: Arithmetic | null }[];
  add: readonly { path: string; placeholder: string }[];
  remove: readonly { path: string }[];
}

export interface Parsed<Expression> {
  expression: Expression;
  /** Each `#name` and `:value` of the text. */
  placeholders: ReadonlySet<string>;
}

/** Throws for an expression that is invalid or not supported. */
export const parseUpdate = cached(readUpdate);
export const parseCondition = cached(readAlternatives);

function cached<Expression>(read: (reader: Reader) => Expression): (text: string) => Parsed<Expression> {
  const parsed = new Map<string, Parsed<Expression>>();
  return (text) => {
    const known = parsed.get(text);
    if (known !== undefined) return known;
    const reader = createReader(text);
    const expression = read(reader);
    if (reader.next() !== '') throw reader.error();
    const added = { expression, placeholders: reader.placeholders };
    parsed.set(text, added);
    return added;
  };
}

interface Reader {
  placeholders: ReadonlySet<string>;
  /** The next token; empty at the end. */
  next(): string;
  isFollowedBy(token: string): boolean;
  take(): string;
  takeIf(pattern: RegExp): string;
  /** Takes the token if it is the next one. Keywords have no case. */
  skip(token: string): boolean;
  require(token: string): void;
  error(): Error;
}

function createReader(text: string): Reader {
  const tokens = text.match(/[#:]?\w+|<>|<=|>=|\S/g) ?? [];
  let index = 0;
  const next = () => tokens[index] ?? '';
  const error = () => new Error(`"${next()}" is invalid or not supported in the expression: ${text}`);
  const skip = (token: string) => {
    const isNext = next().toUpperCase() === token.toUpperCase();
    if (isNext) index += 1;
    return isNext;
  };
  const take = () => tokens[index++] ?? '';
  return {
    placeholders: new Set(tokens.filter((token) => /^[#:]/.test(token))),
    next,
    isFollowedBy: (token) => tokens[index + 1] === token,
    take,
    takeIf(pattern) {
      if (!pattern.test(next())) throw error();
      return take();
    },
    skip,
    require(token) {
      if (!skip(token)) throw error();
    },
    error,
  };
}

function readList<Element>(reader: Reader, read: (reader: Reader) => Element): Element[] {
  const elements = [read(reader)];
  while (reader.skip(',')) elements.push(read(reader));
  return elements;
}

const readPath = (reader: Reader) => reader.takeIf(/^(?:#\w+|[A-Za-z_]\w*)$/);
const readPlaceholder = (reader: Reader) => reader.takeIf(/^:/);

function readUpdate(reader: Reader): Update {
  let { set, add, remove }: Update = { set: [], add: [], remove: [] };
  while (reader.next() !== '') {
    if (set.length === 0 && reader.skip('SET')) set = readList(reader, readAssignment);
    else if (add.length === 0 && reader.skip('ADD')) add = readList(reader, readAddition);
    else if (remove.length === 0 && reader.skip('REMOVE')) remove = readList(reader, readRemoval);
    else throw reader.error();
  }
  return { set, add, remove };
}

function readAssignment(reader: Reader): Update['set'][number] {
  const path = readPath(reader);
  reader.require('=');
  const left = readAssigned(reader);
  const operator = reader.next();
  if (operator !== '+' && operator !== '-') return { path, left, arithmetic: null };
  reader.take();
  return { path, left, arithmetic: { operator, right: readAssigned(reader) } };
}

function readAddition(reader: Reader): Update['add'][number] {
  return { path: readPath(reader), placeholder: readPlaceholder(reader) };
}

function readRemoval(reader: Reader): Update['remove'][number] {
  return { path: readPath(reader) };
}

function readAssigned(reader: Reader): AssignedOperand {
  if (!reader.isFollowedBy('(')) return readReference(reader);
  reader.require('if_not_exists');
  return readInParentheses(reader, () => {
    const path = readPath(reader);
    reader.require(',');
    return { kind: 'if_not_exists', path, otherwise: readAssigned(reader) };
  });
}

function readReference(reader: Reader): Reference {
  return reader.next().startsWith(':')
    ? { kind: 'value', placeholder: readPlaceholder(reader) }
    : { kind: 'attribute', path: readPath(reader) };
}

function readAlternatives(reader: Reader): Condition {
  let condition = readConjunction(reader);
  while (reader.skip('OR')) condition = { kind: 'or', left: condition, right: readConjunction(reader) };
  return condition;
}

function readConjunction(reader: Reader): Condition {
  let condition = readTerm(reader);
  while (reader.skip('AND')) condition = { kind: 'and', left: condition, right: readTerm(reader) };
  return condition;
}

function readTerm(reader: Reader): Condition {
  if (reader.skip('NOT')) return { kind: 'not', condition: readTerm(reader) };
  if (reader.next() === '(') return readInParentheses(reader, readAlternatives);
  const kind = reader.next();
  switch (kind) {
    case 'attribute_exists':
    case 'attribute_not_exists':
      reader.take();
      return readInParentheses(reader, () => ({ kind, path: readPath(reader) }));
    case 'contains':
    case 'begins_with':
      reader.take();
      return readInParentheses(reader, () => {
        const left = readCompared(reader);
        reader.require(',');
        return { kind, left, right: readCompared(reader) };
      });
    default:
      return readComparison(reader);
  }
}

function readInParentheses<Content>(reader: Reader, read: (reader: Reader) => Content): Content {
  reader.require('(');
  const content = read(reader);
  reader.require(')');
  return content;
}

function readComparison(reader: Reader): Condition {
  const left = readCompared(reader);
  if (reader.skip('BETWEEN')) {
    const lower = readCompared(reader);
    reader.require('AND');
    return { kind: 'between', operand: left, lower, upper: readCompared(reader) };
  }
  if (reader.skip('IN')) {
    const list = readInParentheses(reader, () => readList(reader, readCompared));
    return { kind: 'in', operand: left, list };
  }
  const comparator = reader.takeIf(/^(?:=|<>|<=?|>=?)$/) as Comparator;
  return { kind: 'compares', comparator, left, right: readCompared(reader) };
}

function readCompared(reader: Reader): ComparedOperand {
  if (!reader.isFollowedBy('(')) return readReference(reader);
  reader.require('size');
  return { kind: 'size', path: readInParentheses(reader, readPath) };
}
