/** Whether JSON has the shape that a model of the API gives it, and what the API's front door says when it has not. */
import { isJsonObject } from '#lambdas/platform/json/json.ts';
import { BedrockRefusal, refuse } from './bedrock-errors.ts';

export type Shape =
  | { kind: 'text'; pattern?: RegExp; longest?: number; shortest?: number; values?: readonly string[] }
  | { kind: 'number'; least?: number; most?: number }
  | { kind: 'boolean' }
  /** Any JSON. */
  | { kind: 'document' }
  /** Base64. */
  | { kind: 'blob' }
  | { kind: 'list'; of: Shape; longest?: number; shortest?: number }
  | { kind: 'map'; of: Shape }
  | { kind: 'structure'; fields: Record<string, () => Shape>; required: readonly string[] }
  /** Exactly one of the fields. */
  | { kind: 'union'; fields: Record<string, () => Shape> };

/** Places are told in Smithy's way, where the members of a list are counted from 1. */
export function checkShape(value: unknown, shape: Shape, path: readonly string[] = []): void {
  switch (shape.kind) {
    case 'document':
      break;
    case 'text':
      if (typeof value !== 'string') wrongType(path);
      checkText(value, shape, path);
      break;
    case 'number':
      if (typeof value !== 'number') wrongType(path);
      checkNumber(value, shape, path);
      break;
    case 'boolean':
      if (typeof value !== 'boolean') wrongType(path);
      break;
    case 'blob':
      if (typeof value !== 'string') wrongType(path);
      checkBlob(value);
      break;
    case 'list':
      checkList(value, shape, path);
      break;
    case 'map':
      if (!isJsonObject(value)) wrongType(path);
      for (const [key, member] of Object.entries(value)) checkShape(member, shape.of, [...path, key]);
      break;
    case 'structure':
    case 'union':
      if (!isJsonObject(value)) wrongType(path);
      checkFields(value, shape, path);
      break;
    default:
      shape satisfies never;
  }
}

function checkText(value: string, shape: Extract<Shape, { kind: 'text' }>, path: readonly string[]): void {
  const { pattern, longest, shortest, values } = shape;
  if (shortest !== undefined && value.length < shortest) {
    unsatisfied(path, `Member must have length greater than or equal to ${shortest}`);
  }
  if (longest !== undefined && value.length > longest) {
    unsatisfied(path, `Member must have length less than or equal to ${longest}`);
  }
  if (pattern !== undefined && !pattern.test(value)) {
    const source = pattern.source.replace(/^\^|\$$/g, '');
    unsatisfied(path, `Member must satisfy regular expression pattern: ${source}`);
  }
  if (values !== undefined && !values.includes(value)) {
    unsatisfied(path, `Member must satisfy enum value set: [${values.join(', ')}]`, value);
  }
}

function checkNumber(
  value: number,
  { least, most }: Extract<Shape, { kind: 'number' }>,
  path: readonly string[],
): void {
  if (least !== undefined && value < least) {
    unsatisfied(path, `Member must have value greater than or equal to ${least}`, value);
  }
  if (most !== undefined && value > most) {
    unsatisfied(path, `Member must have value less than or equal to ${most}`, value);
  }
}

function checkBlob(value: string): void {
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) {
    throw new BedrockRefusal('SerializationException', 'Invalid Base64 encoding');
  }
}

function checkList(
  value: unknown,
  { of, longest, shortest }: Extract<Shape, { kind: 'list' }>,
  path: readonly string[],
): void {
  if (!Array.isArray(value)) wrongType(path);
  if (shortest !== undefined && value.length < shortest) {
    unsatisfied(path, `Member must have length greater than or equal to ${shortest}`);
  }
  if (longest !== undefined && value.length > longest) {
    unsatisfied(path, `Member must have length less than or equal to ${longest}`);
  }
  for (const [index, member] of value.entries())
    checkShape(member, of, [...path, String(index + 1), 'member']);
}

function checkFields(
  value: Record<string, unknown>,
  shape: Extract<Shape, { kind: 'structure' | 'union' }>,
  path: readonly string[],
): void {
  const names = Object.keys(value).filter((name) => value[name] !== null);
  for (const name of names) {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    if (field === undefined) extraneous(name, path);
    checkShape(value[name], field(), [...path, name]);
  }
  if (shape.kind === 'union' && names.length !== 1) {
    throw new BedrockRefusal('SerializationException', 'Union must have exactly one member set');
  }
  const missing =
    shape.kind === 'structure' ? shape.required.find((name) => !names.includes(name)) : undefined;
  if (missing !== undefined) unsatisfied([...path, missing], 'Member must not be null');
}

function extraneous(name: string, path: readonly string[]): never {
  const place = path.length === 0 ? '#' : `#/${path.join('/')}`;
  refuse(
    `Malformed input request: ${place}: extraneous key [${name}] is not permitted, please reformat your input and try again.`,
  );
}

function unsatisfied(path: readonly string[], constraint: string, value?: string | number): never {
  const what = value === undefined ? 'Value' : `Value '${value}'`;
  refuse(
    `1 validation error detected: ${what} at '${path.join('.')}' failed to satisfy constraint: ${constraint}`,
  );
}

function wrongType(path: readonly string[]): never {
  throw new BedrockRefusal('SerializationException', `Unexpected value type in payload at ${path.join('.')}`);
}
