/**
 * Restores the digits of a request's numbers, which `JSON.parse` rounds: 64-bit identifiers in an `enum` or as bounds of a
 * JSON Schema, and numbers of the caller's fields for the provider.
 */

import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { jsonMembers, skipWhitespace } from '#lambdas/platform/json/members.ts';
import { isProviderField } from '../parameters.ts';

export interface ChatBody {
  text: string;
  /** Parsed from `text`. */
  body: JsonObject;
}

/**
 * Returns the request's body with raw numbers (see `parseExactJson`) in schemas and fields that are forwarded. Messages,
 * which can be large, contain such numbers only in the text of call arguments.
 */
export function exactBody({ text, body }: ChatBody): JsonObject {
  if (!Object.keys(body).some(isForwarded)) return body;
  const exactValues = new Map<string, unknown>();
  for (const { key, start, end } of jsonMembers(text, skipWhitespace(text, 0))) {
    if (!isForwarded(key)) continue;
    const value = text.slice(start, end);
    // The last of several members with the same key counts.
    exactValues.set(key, mayBeRounded.test(value) ? parseExactJson(value) : body[key]);
  }
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key, exactValues.has(key) ? exactValues.get(key) : value]),
  );
}

function isForwarded(name: string): boolean {
  return name === 'tools' || name === 'response_format' || isProviderField(name);
}

/**
 * Matches every value with a number that JavaScript would write differently: long integers, decimals, exponents and -0.
 * Exact parsing takes ten times as long.
 */
const mayBeRounded = /\d{16}|(?:^|[[:,\s])(?:-0|-?\d+[.eE])/;
