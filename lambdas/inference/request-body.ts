/** Reads the body of a request, and rewrites its text for the provider with as few changes as possible. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { assertMaxNesting, isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { type JsonMember, jsonMembers, skipWhitespace } from '#lambdas/platform/json/members.ts';
import { isPrintable } from '#lambdas/request-log/printable-text.ts';

export const maxModelBytes = 256;
/** Bounds the growth of a request with duplicate `model` keys, each of which may be replaced with a longer name. */
const maxModels = 16;

/** Throws a `GatewayError` (400) for anything but a JSON object. */
export function parseBody(text: string): JsonObject {
  const body = parseJson(text);
  if (body === undefined) throw invalidRequestError('body', 'The request body must be valid JSON');
  if (!isJsonObject(body)) throw invalidRequestError('body', 'The request body must be a JSON object');
  assertMaxNesting(body);
  return body;
}

/** Throws a `GatewayError` (400) for anything but a string that can be a model's name. */
export function readModel({ model }: JsonObject): string {
  if (typeof model !== 'string' || model === '') {
    throw invalidRequestError('model', 'model must be a string of the form <provider>/<model>');
  }
  if (Buffer.byteLength(model) > maxModelBytes || !isPrintable(model)) {
    throw invalidRequestError(
      'model',
      `model must be a string of at most ${maxModelBytes} bytes, without control characters`,
    );
  }
  return model;
}

/** `text` is the JSON of an object. */
export function bodyMembers(text: string): JsonMember[] {
  return jsonMembers(text, skipWhitespace(text, 0));
}

/** Replaces `text.slice(start, end)`. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/**
 * Replaces every `model` key, in any letter case: Go's JSON parser ignores the case of keys
 * (https://pkg.go.dev/encoding/json#Unmarshal), and the provider must not read a model other than the logged one.
 */
export function modelEdits(members: readonly JsonMember[], model: string): TextEdit[] {
  const models = members.filter(({ key }) => key.toLowerCase() === 'model');
  if (models.length > maxModels) throw invalidRequestError('model', 'model must be given once');
  return models.map(({ start, end }) => ({ start, end, text: JSON.stringify(model) }));
}

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let from = 0;
  for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return result + text.slice(from);
}
