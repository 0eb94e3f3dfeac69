import { parseSync } from 'vite';
import type { Position } from '#lib/functions/source-maps.ts';

/** The name of the innermost function around a position of a source file that has one; `null` at the top level. */
export function enclosingFunction(source: string, { file, line, column }: Position): string | null {
  const lines = source.split('\n');
  const offset = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, column - 1);
  return findName(parseSync(file, source).program, { offset, name: null, enclosing: null });
}

interface SyntaxNode extends Record<string, unknown> {
  type: string;
  start: number;
  end: number;
}

interface Search {
  offset: number;
  /** The name that the parent gives to the node. */
  name: string | null;
  /** The result, unless there is a named function further in. */
  enclosing: string | null;
}

function findName(node: unknown, search: Search): string | null {
  if (!isNode(node) || search.offset < node.start || search.offset >= node.end) return search.enclosing;
  const name = nameOf(node.id) ?? nameOf(node.key) ?? nameOf(node.left) ?? null;
  const isFunction = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
  const enclosing = (isFunction ? (name ?? search.name) : null) ?? search.enclosing;
  for (const child of Object.values(node).flat()) {
    const found = findName(child, { offset: search.offset, name, enclosing });
    if (found !== enclosing) return found;
  }
  return enclosing;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function nameOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  // Such as that of `Store.prototype.read`.
  if (value.type === 'MemberExpression') return nameOf(value.property);
  return typeof value.name === 'string' ? value.name : null;
}
