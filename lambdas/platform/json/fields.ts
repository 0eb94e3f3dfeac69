/** Reads the fields of a JSON object from a caller. Each function throws a `GatewayError` (400) that names the field. */
import { invalidRequestError } from '../errors.ts';
import { isExactJsonObject } from './exact-json.ts';
import type { JsonObject } from './json.ts';

/** Callers may send `null` for a missing field. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export function readText(value: unknown, param: string): string {
  if (typeof value !== 'string') throw invalidRequestError(param, `${param} must be a string`);
  return value;
}

/** The object may contain raw numbers (see `parseExactJson`). */
export function readObject(value: unknown, param: string): JsonObject {
  if (!isExactJsonObject(value)) throw invalidRequestError(param, `${param} must be an object`);
  return value;
}

/** Returns an empty object for a missing one. */
export function readOptionalObject(value: unknown, param: string): JsonObject {
  return isAbsent(value) ? {} : readObject(value, param);
}

export function readOptionalText(value: unknown, param: string): string | null {
  return isAbsent(value) ? null : readText(value, param);
}

export function readOptionalNumber(value: unknown, param: string): number | null {
  if (isAbsent(value)) return null;
  if (typeof value !== 'number') throw invalidRequestError(param, `${param} must be a number`);
  return value;
}

export function readOptionalBoolean(value: unknown, param: string): boolean | null {
  if (isAbsent(value)) return null;
  if (typeof value !== 'boolean') throw invalidRequestError(param, `${param} must be true or false`);
  return value;
}

export function readOptionalList(value: unknown, param: string): unknown[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw invalidRequestError(param, `${param} must be an array`);
  return value;
}
