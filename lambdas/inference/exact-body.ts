/**
 * Restores the digits of a request's numbers, which `JSON.parse` rounds: 64-bit identifiers in an `enum` or as bounds of a
 * JSON Schema, in the input of a tool call, and numbers of the caller's fields for the provider.
 */

import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { bodyMembers } from './request-body.ts';

export interface RequestBody {
  text: string;
  /** Parsed from `text`. */
  body: JsonObject;
}

/**
 * Matches every value with a number that JavaScript would write differently: long integers, decimals, exponents and -0.
 * Exact parsing takes ten times as long.
 */
const mayBeRounded = /\d{16}|(?:^|[[:,\s])(?:-0|-?\d+[.eE])/;

/** Returns the request's body with raw numbers (see `parseExactJson`) in the fields that are passed on with their digits. */
export function exactBody({ text, body }: RequestBody, isPassedOn: (field: string) => boolean): JsonObject {
  if (!Object.keys(body).some(isPassedOn)) return body;
  const exactValues = new Map<string, unknown>();
  for (const { key, start, end } of bodyMembers(text)) {
    if (!isPassedOn(key)) continue;
    const value = text.slice(start, end);
    // The last of several members with the same key counts.
    exactValues.set(key, mayBeRounded.test(value) ? parseExactJson(value) : body[key]);
  }
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key, exactValues.has(key) ? exactValues.get(key) : value]),
  );
}
